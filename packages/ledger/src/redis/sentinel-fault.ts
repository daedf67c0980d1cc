/** Finds out why the sentinels returned no reachable primary, and returns an error with a remedy. */
import { type MandateError, type SentinelUrl, tlsRemedy } from '@mandate/runtime';
import { type Redis, ReplyError } from 'ioredis';
import { connected } from './connected.ts';
import { ledgerFailure, unavailable } from './failure.ts';
import { newSentinelClient, type SentinelAccess } from './sentinel-client.ts';

type Answer = { knows: boolean; names: string[] } | { fault: string; cause: Error };

/**
 * Asks all sentinels for the fault. Null if a sentinel knows the primary. Then the primary itself does not answer.
 */
export async function faultOfSentinels(
  watched: SentinelUrl,
  access: SentinelAccess,
): Promise<MandateError | null> {
  const { sentinels, name } = watched;
  const answers = await Promise.all(
    sentinels.map(async (each): Promise<Answer> => {
      const client = newSentinelClient(each, watched, access);
      try {
        await connected(client, () => {});
        const knows = (await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)) !== null;
        return { knows, names: knows ? [] : await namesKnownTo(client) };
      } catch (error) {
        const cause = rootOf(error);
        return { fault: `${each.host}:${each.port}: ${cause.message}`, cause };
      } finally {
        client.disconnect();
      }
    }),
  );
  if (answers.some((answer) => 'knows' in answer && answer.knows)) return null;
  const failed = answers.filter((answer) => 'fault' in answer);
  const fault = failed.map((answer) => answer.fault).join('; ');
  if (failed.length < answers.length) {
    const names = new Set(answers.flatMap((answer) => ('names' in answer ? answer.names : [])));
    return unavailable(
      `No sentinel knows a primary named "${name}"; known: ${[...names].join(', ') || 'none'}.${fault && ` (${fault})`}`,
      undefined,
      'In MANDATE_REDIS_URL, write the name of the primary after the hosts. It is the name in `sentinel monitor`.',
    );
  }
  const cause = failed[0]?.cause;
  const refused = failed.find((answer) => answer.cause instanceof ReplyError);
  if (refused !== undefined)
    return unavailable(`All sentinels refuse this process: ${fault}`, refused.cause, LET_IN);
  return unavailable(`No sentinel can be reached: ${fault}`, cause, tlsRemedy('REDIS', cause) ?? REACH);
}

/** Returns the names of all primaries that the sentinel knows, for an error text. Empty if this user may not ask. */
async function namesKnownTo(client: Redis): Promise<string[]> {
  const primaries = (await client.call('SENTINEL', 'MASTERS').catch(() => [])) as string[][];
  return primaries.flatMap((fields) => fields[fields.indexOf('name') + 1] ?? []);
}

/** Returns the client's original error, if a MandateError wraps it. */
function rootOf(error: unknown): Error {
  const failure = ledgerFailure(error);
  return failure.cause instanceof Error ? failure.cause : failure;
}

const LET_IN =
  'Check MANDATE_REDIS_SENTINEL_USERNAME and MANDATE_REDIS_SENTINEL_PASSWORD. infra/redis/README.md lists the rights that this user needs on the sentinels. The user in MANDATE_REDIS_URL is only for Redis itself.';
const REACH =
  'Check the hosts and ports in MANDATE_REDIS_URL: they must be the sentinels (default port 26379), not Redis. If the sentinels use TLS, write rediss+sentinel://.';
