/**
 * Checks the law of the kill switch. A kill stops an agent, an agent with its descendants, a tenant, or everything.
 * After an acknowledged kill, no ALLOW has a higher sequence number until a revive. If an ALLOW is on the log after
 * the kill, the kill must list it as an open action. The law is checked after everything was read, because a
 * partition may be far ahead of the partition with the kill.
 */

import { createHash } from 'node:crypto';
import {
  type ActionReference,
  type AgentKilled,
  type AgentRevived,
  ancestorsIn,
  type KillTarget,
} from '@mandate/schemas';
import { type Findings, positionName } from './law.ts';
import type { Read } from './read-record.ts';

/**
 * The order of records on two partitions is judged by the clocks of several brokers. These clocks may differ by this
 * much.
 */
const CLOCKS_APART_MS = 1_000;

type LoggedAt = { topic: string; partition: number; offset: number; appendedAtMs: number };
type Kill = {
  kill: AgentKilled['kill'];
  position: LoggedAt;
  /** The epochs that had begun before the kill on its partition. */
  epochsBefore: ReadonlySet<string>;
  /** The open actions that the kill names. */
  open: ReadonlySet<number>;
};
type Revive = { revive: AgentRevived['revive']; position: LoggedAt };

/** An ALLOW. `action` is a number that represents agent, id and attempt. */
type Allow = {
  tenant: string;
  agentId: string;
  sequence: number;
  epoch: string;
  action: number;
  position: LoggedAt;
};

/**
 * All ALLOWs of a tenant: one array for each field, because there may be millions. Index n of every array is ALLOW n.
 */
type Allowed = {
  agents: number[];
  /** Indexes into the stored lists of ancestors. */
  ancestors: number[];
  sequences: number[];
  partitions: number[];
  offsets: number[];
  appendedAtMs: number[];
  epochs: number[];
  actions: number[];
};

export function createKill(findings: Findings) {
  const tenants = new Map<string, Allowed>();
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const kills = new Map<string, Kill[]>();
  const revives = new Map<string, Revive[]>();
  /** The epochs that have begun so far, by partition. */
  const begun = new Map<number, Set<string>>();

  function numberOf(name: string): number {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    names.push(name);
    numbers.set(name, names.length - 1);
    return names.length - 1;
  }

  function columnsOf(tenant: string): Allowed {
    const known = tenants.get(tenant);
    if (known !== undefined) return known;
    const none: Allowed = {
      agents: [],
      ancestors: [],
      sequences: [],
      partitions: [],
      offsets: [],
      appendedAtMs: [],
      epochs: [],
      actions: [],
    };
    tenants.set(tenant, none);
    return none;
  }

  const kept = <T>(map: Map<string, T[]>, target: KillTarget, one: T) => {
    const name = targetName(target);
    map.set(name, [...(map.get(name) ?? []), one]);
  };

  return {
    /**
     * Records a kill or an ALLOW. `isFirst` is false for a repeated answer, which is ignored because the first record
     * counts.
     */
    takes({ record, log, begins }: Read, isFirst: boolean): void {
      const position = { ...log.position, appendedAtMs: log.appendedAtMs };
      const { partition } = position;
      if (begins !== null) begun.set(partition, new Set([...(begun.get(partition) ?? []), begins.id]));
      if (record.event === 'agent.killed') {
        const { target, revision, ledgerEpoch } = record.kill;
        const again = kills
          .get(targetName(target))
          ?.some(({ kill }) => kill.revision === revision && kill.ledgerEpoch === ledgerEpoch);
        if (again !== true) {
          const open = new Set(record.kill.open.map(hashOf));
          const epochsBefore = begun.get(partition) ?? new Set();
          kept(kills, target, { kill: record.kill, position, epochsBefore, open });
        }
      } else if (record.event === 'agent.revived') {
        kept(revives, record.revive.target, { revive: record.revive, position });
      } else if (record.event === 'action.decided' && isFirst && record.decision.verdict === 'ALLOW') {
        const { decision } = record;
        const columns = columnsOf(decision.tenant);
        columns.agents.push(numberOf(decision.agentId));
        columns.ancestors.push(numberOf(ancestorsIn(decision).join(' ')));
        columns.sequences.push(decision.ledgerSequence);
        columns.partitions.push(partition);
        columns.offsets.push(position.offset);
        columns.appendedAtMs.push(position.appendedAtMs);
        columns.epochs.push(numberOf(decision.ledgerEpoch));
        columns.actions.push(hashOf(decision));
      }
    },
    /** Checks all kills. `topic` is the topic of the decisions. */
    end(topic: string): void {
      for (const [tenant, columns] of tenants) {
        findings.checked(columns.sequences.length);
        if (kills.size === 0) continue;
        for (let row = 0; row < columns.sequences.length; row++) checkRow(topic, tenant, columns, row);
      }
    },
  };

  function checkRow(topic: string, tenant: string, columns: Allowed, row: number): void {
    const agentId = names[columns.agents[row] ?? 0] ?? '';
    const subtrees = [agentId, ...(names[columns.ancestors[row] ?? 0] ?? '').split(' ')];
    const targets: KillTarget[] = [
      { scope: 'all' },
      { scope: 'tenant', tenant },
      ...subtrees.map((head): KillTarget => ({ scope: 'subtree', tenant, agentId: head })),
      { scope: 'agent', tenant, agentId },
    ];
    for (const name of targets.map(targetName)) {
      const pulled = kills.get(name);
      if (pulled === undefined) continue;
      const allow: Allow = {
        tenant,
        agentId,
        sequence: columns.sequences[row] ?? 0,
        epoch: names[columns.epochs[row] ?? 0] ?? '',
        action: columns.actions[row] ?? 0,
        position: {
          topic,
          partition: columns.partitions[row] ?? 0,
          offset: columns.offsets[row] ?? 0,
          appendedAtMs: columns.appendedAtMs[row] ?? 0,
        },
      };
      checkSequence(allow, pulled, revives.get(name) ?? []);
      for (const kill of pulled) checkOpen(allow, kill);
    }
  }

  function checkSequence(allow: Allow, pulled: readonly Kill[], revived: readonly Revive[]): void {
    const before = pulled.filter((one) => isBefore(one, allow)).map(({ kill }) => kill);
    const inForce = before.sort((one, other) => other.revision - one.revision)[0];
    if (inForce === undefined) return;
    const next = Math.min(
      ...pulled.map(({ kill }) => kill.revision).filter((revision) => revision > inForce.revision),
    );
    const isRevived = revived.some(
      ({ revive: { revision }, position }) =>
        revision > inForce.revision && revision < next && mayPrecede(position, allow.position),
    );
    if (isRevived) return;
    const sequence = inForce.ledgerSequences[allow.tenant];
    broken(allow, inForce, `an ALLOW of sequence ${allow.sequence} after the kill's ${sequence}`);
  }

  function checkOpen(allow: Allow, one: Kill): void {
    if (!wasOpen(one, allow) || one.open.has(allow.action)) return;
    if (one.kill.open.length < one.kill.openCount) findings.leftOut();
    else broken(allow, one.kill, 'an ALLOW that is on the log after the kill, which does not name it');
  }

  function broken({ tenant, agentId, position }: Allow, { id }: Kill['kill'], what: string): void {
    findings.broken(() => ({ at: positionName(position), ids: { tenant, agent: agentId, kill: id }, what }));
  }
}

/**
 * True if the ALLOW came before the kill. Sequence numbers of two epochs can be compared only if the later epoch was
 * built from a log that contains the kill.
 */
function isBefore({ kill, epochsBefore }: Kill, allow: Allow): boolean {
  const sequence = kill.ledgerSequences[allow.tenant];
  if (sequence === undefined || allow.sequence < sequence) return false;
  return allow.epoch === kill.ledgerEpoch || !epochsBefore.has(allow.epoch);
}

/**
 * True if the action was decided before the kill, but its record is on the log after the kill. Such an action was
 * open at the kill.
 */
function wasOpen({ kill, position }: Kill, allow: Allow): boolean {
  const sequence = kill.ledgerSequences[allow.tenant];
  if (sequence === undefined || allow.sequence > sequence || allow.epoch !== kill.ledgerEpoch) return false;
  return !mayPrecede(allow.position, position);
}

function mayPrecede(one: LoggedAt, other: LoggedAt): boolean {
  return one.partition === other.partition
    ? one.offset < other.offset
    : one.appendedAtMs <= other.appendedAtMs + CLOCKS_APART_MS;
}

function targetName(target: KillTarget): string {
  if (target.scope === 'all') return '*';
  if (target.scope === 'tenant') return target.tenant;
  return `${target.tenant}${target.scope === 'agent' ? '/' : ':'}${target.agentId}`;
}

function hashOf({ tenant, agentId, actionId, attempt }: ActionReference): number {
  return createHash('sha1').update(`${tenant} ${agentId} ${actionId} ${attempt}`).digest().readUIntBE(0, 6);
}
