/** The keys of people, through the API of a plane, for holders of a key with the scope `admin`. */
import type { Role } from '@mandate/schemas';
import type { CommandContext } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { planeOptionsIn } from '../global-options.ts';
import { printable } from '../output/printable.ts';
import { type PageOptions, showList } from '../output/show-list.ts';
import { showAnswer, write } from '../output/write.ts';
import { type Expiry, expiresInMs, expiryText, expiryWarnings, issuedText } from './key-expiry.ts';

type RoleKey = { id: string; name: string; role: Role; createdAt: string; expiresAt: string | null };

/**
 * True if an option names a plane. The environment and the default profile do not change where keys are issued. Fails
 * if an option is meant for a plane that no option names.
 */
export function isThroughApi({ globals }: CommandContext): boolean {
  const { url, controlUrl, profile } = globals;
  if ((url ?? controlUrl ?? profile) !== undefined) return true;
  const [lost] = planeOptionsIn(globals);
  if (lost === undefined) return false;
  throw new WrongUse(`${lost} is for a plane, and no option names one`, 'Give --url or --profile too.');
}

/** @param local the given options that work only with a data folder */
export async function issueThroughApi(
  options: Expiry & { name: string; role?: Role },
  local: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  const { name, role } = options;
  const [wrong] = local;
  if (wrong !== undefined || role === undefined)
    throw new WrongUse(
      wrong === undefined
        ? 'the key has no role'
        : `--${wrong} works in a data folder, and not through an API`,
      'Give --role. The tenant is that of the key that you ask with.',
    );
  const body = { name, role, expiresInMs: expiresInMs(options) };
  const issued = await connect(context).post<RoleKey & { key: string }>('/v1/keys', body);
  return showAnswer(context, issued, () => `${issued.key}\n`, issuedText(issued, ' --url …'));
}

export async function listThroughApi(page: PageOptions, context: CommandContext): Promise<ExitCode> {
  const nowMs = Date.now();
  const listed: RoleKey[] = [];
  await showList<RoleKey>(context, { path: '/v1/keys', rows: 'keys' }, page, {
    seen: (keys) => listed.push(...keys),
    columns: () => [
      { title: 'ID', of: ({ id }) => id, keep: true },
      { title: 'NAME', of: ({ name }) => name, cut: true },
      { title: 'ROLE', of: ({ role }) => role },
      { title: 'CREATED', of: ({ createdAt }) => createdAt, extra: true },
      { title: 'EXPIRES', of: (key) => expiryText(key, nowMs) },
    ],
    empty: 'no key was issued through the API',
  });
  await write(context.stderr, expiryWarnings(listed, nowMs));
  return 0;
}

export async function revokeThroughApi(id: string, context: CommandContext): Promise<ExitCode> {
  const revoked = await connect(context).delete<object>(`/v1/keys/${encodeURIComponent(id)}`);
  return showAnswer(context, { id, ...revoked }, () => `revoked ${printable(id)}\n`);
}
