/**
 * Puts a ledger in force again after its server was restarted with its data. Only for ledgers without a log, as an SDK
 * has. A plane rebuilds its ledger from the log instead.
 */
import { MandateError } from '@mandate/runtime';
import type { Redis } from 'ioredis';
import { unavailable } from './failure.ts';
import { inGroups, type Shards } from './shards.ts';

export type ResumeOptions = {
  /** The lowest sequence that each tenant must have, as far as the caller knows. */
  sequences: ReadonlyMap<string, number>;
  /** True: accepts that the newest writes may be missing. False: refuses unless the server cannot have lost any. */
  acceptsLoss: boolean;
};

/** @throws MandateError LEDGER_LOST if data is missing, or may be missing */
export async function resume(shards: Shards, { sequences, acceptsLoss }: ResumeOptions): Promise<void> {
  const servers = shards.connection.masters();
  const [server] = servers;
  if (server === undefined || servers.length > 1)
    throw lost('the ledger is on a cluster, where a part may be older than the others');
  if (!acceptsLoss) await mustHaveLostNothing(server);
  const read = await shards.askRegistry('resume-registry', ['', '']);
  if (read[0] === 'READY') return;
  const [, , epoch, generation, tenants] = read as ['OK', number, string, string, string[]];
  const opened = tenants.filter((_, at) => at % 2 === 0 && tenants[at + 1] === 'open');
  await inGroups(opened, async (tenant) => {
    const least = acceptsLoss ? 0 : (sequences.get(tenant) ?? 0);
    const reply = await shards.askClosed(tenant, Number(generation), 'resume-tenant', [epoch, least]);
    if (reply[0] === 'LOST') throw lost(`Redis lacks ${String(reply[1])}`);
  });
  const [answer] = await shards.askRegistry('resume-registry', [epoch, generation]);
  if (answer === 'LOST') throw unavailable('The ledger was rebuilt meanwhile.');
}

/**
 * A server that writes each change to its disk before it answers loses no acknowledged change at a restart. A replica
 * that became the primary may lack changes. Its `master_replid2` then names the run that it followed.
 */
async function mustHaveLostNothing(server: Redis): Promise<void> {
  const [appends, flushes, info] = await Promise.all([
    settingOf(server, 'appendonly'),
    settingOf(server, 'appendfsync'),
    server.info('replication'),
  ]).catch((error: unknown) => {
    throw unavailable('Redis does not show its settings.', error);
  });
  if (appends !== 'yes' || flushes !== 'always')
    throw lost('the server does not write each change to its disk before it answers (appendfsync always)');
  if (!/master_replid2:0+\s/.test(info)) throw lost('the server was a replica before');
}

async function settingOf(server: Redis, name: string): Promise<string | undefined> {
  const [, value] = (await server.config('GET', name)) as [string?, string?];
  return value;
}

function lost(why: string): MandateError {
  return new MandateError('LEDGER_LOST', `The ledger in Redis may lack charges: ${why}.`, {
    remedy: 'Nothing was decided. An operator must decide how to go on.',
  });
}
