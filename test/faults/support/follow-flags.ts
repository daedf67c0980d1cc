/** Reads kills and revives from the log, and checks the ALLOWs against them. */
import type { Bus } from '@mandate/bus';
import { type Decision, type KillTarget, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import { onTestFinished } from 'vitest';
import { readToTheEnd } from './follow-log.ts';

/** A kill that the gateway acknowledged: its answer. */
export type Acknowledged = {
  commandId: string;
  target: KillTarget;
  revision: number;
  sequences: Readonly<Record<string, number>>;
};

type Revive = { target: KillTarget; revision: number; atMs: number };

/** Reads the log until the end of the test. */
export async function followFlags(bus: Bus) {
  const standing = new Map<string, { revision: number; isKilled: boolean }>();
  const kills = new Set<string>();
  const revives: Revive[] = [];
  /** Of two flags, the flag with the higher revision wins. With equal revisions, the kill wins. */
  const note = (target: KillTarget, revision: number, isKilled: boolean) => {
    const name = nameOf(target);
    const known = standing.get(name) ?? { revision: 0, isKilled: false };
    if (revision > known.revision || (revision === known.revision && isKilled)) {
      standing.set(name, { revision, isKilled });
    }
  };
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const { value } of records) {
        const record = readDecisionsRecord(value);
        if (record.event === 'agent.killed') {
          kills.add(record.kill.id);
          note(record.kill.target, record.kill.revision, true);
        } else if (record.event === 'agent.revived') {
          const { target, revision, at } = record.revive;
          revives.push({ target, revision, atMs: Date.parse(at) });
          note(target, revision, false);
        }
      }
    },
  });
  onTestFinished(() => reader.stop());
  return {
    /** The ids of the kill commands. */
    kills: kills as ReadonlySet<string>,
    revives: revives as readonly Revive[],
    /** True if the agent is killed according to the records read so far. */
    isKilled: (tenant: string, agentId: string) =>
      ['*', tenant, `${tenant}/${agentId}`].some((name) => standing.get(name)?.isKilled === true),
    caughtUp: () => readToTheEnd(bus, reader, [TOPICS.decisions]),
  };
}

/**
 * Returns each ALLOW that was decided after an acknowledged kill and before its revive, with the kill. There must be
 * no such ALLOW. If a kill of everything does not name a tenant, the tenant had no decisions yet, so all its ALLOWs
 * are after the kill.
 */
export function allowedBehind(
  kills: readonly Acknowledged[],
  revives: readonly Revive[],
  allowed: readonly Decision[],
): { decision: Decision; kill: Acknowledged }[] {
  return kills.flatMap((kill) => {
    const name = nameOf(kill.target);
    const later = revives.filter(
      ({ target, revision }) => nameOf(target) === name && revision > kill.revision,
    );
    const revivedAtMs = Math.min(...later.map(({ atMs }) => atMs));
    return allowed
      .filter(
        ({ tenant, agentId, ledgerSequence, decidedAt }) =>
          ['*', tenant, `${tenant}/${agentId}`].includes(name) &&
          ledgerSequence > (kill.sequences[tenant] ?? 0) &&
          Date.parse(decidedAt) < revivedAtMs,
      )
      .map((decision) => ({ decision, kill }));
  });
}

function nameOf(target: KillTarget): string {
  if (target.scope === 'all') return '*';
  return target.scope === 'tenant' ? target.tenant : `${target.tenant}/${target.agentId}`;
}
