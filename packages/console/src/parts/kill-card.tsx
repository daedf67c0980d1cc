/** The effect of a kill: the fence, and each allowed call that may still run, until none is left. */
import type { KillAnswer, KillSetAnswer } from '@mandate/gateway';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { get } from '../data/api.ts';
import { type LiveEvent, useLiveEvents } from '../data/live.ts';
import { dollars } from '../data/money.ts';
import { clockTime, duration } from '../data/time.ts';
import styles from './parts.module.css';
import { useNow, When } from './when.tsx';

/** `warning`: what to do, because the kill is in force but not yet on the log. */
export type Killed = {
  answer: KillAnswer | KillSetAnswer;
  tookMs: number;
  atMs: number;
  warning: string | null;
};

type Open = KillAnswer['open'][number];

export function KillCard({
  killed: { answer, tookMs, atMs, warning },
  onClose,
}: {
  killed: Killed;
  onClose: () => void;
}) {
  const nowMs = useNow();
  const [over, setOver] = useState<ReadonlyMap<string, number>>(new Map());
  const [revived, setRevived] = useState<ReadonlyMap<string | null, string>>(new Map());
  const { who, verb, scope, agentIds, open, sequence } = useMemo(() => inWords(answer), [answer]);
  useLiveEvents(
    useCallback(
      (event: LiveEvent) => {
        const isOver = (name: string) => setOver((before) => new Map(before).set(name, Date.now()));
        if (event.kind === 'skipped') void readOver(open).then((names) => names.forEach(isOver));
        if (event.kind === 'control' && event.data.event === 'agent.revived') {
          const { scope: its, agentId, happenedAt } = event.data;
          if (its === scope || (scope === null && agentId !== null))
            setRevived((before) => new Map(before).set(agentId, happenedAt));
        }
        if (event.kind !== 'settlement') return;
        const name = nameOf(event.data);
        if (open.some((one) => nameOf(one) === name)) isOver(name);
      },
      [open, scope],
    ),
  );
  const ends = (agentIds.length === 0 ? [null] : agentIds).map((agentId) => revived.get(agentId));
  const revivedAt = ends.includes(undefined) ? undefined : ends.toSorted().at(-1);
  const endOf = (one: Open): number | null => {
    const settled = over.get(nameOf(one));
    if (settled !== undefined) return settled;
    const { leaseExpiresAtMs } = one;
    return leaseExpiresAtMs <= nowMs ? leaseExpiresAtMs : null;
  };
  const running = open.filter((one) => endOf(one) === null);
  const unnamed = answer.openCount - open.length;
  const isDone = running.length === 0 && unnamed === 0;
  const reserved = running.reduce((sum, { reservedMicros }) => sum + reservedMicros, 0);
  const lastEndMs = open.length === 0 ? atMs : Math.max(...open.map((one) => endOf(one) ?? 0));
  return (
    <section className={`${styles.card} ${isDone ? styles.done : ''}`} aria-label={`Kill of ${who}`}>
      <div className={styles.heading}>
        <h2>
          {who} {verb[revivedAt === undefined ? 'now' : 'before']} killed
        </h2>
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </div>
      <p role="status">
        Acknowledged in {duration(tookMs)}. {sequence !== null && `No ALLOW after sequence ${sequence}. `}
        {isDone
          ? `Nothing runs any more, since ${clockTime(lastEndMs)}.`
          : `May still run: ${running.length + unnamed} open ${running.length + unnamed === 1 ? 'call' : 'calls'}${
              reserved > 0 ? `, ${dollars(reserved)} reserved` : ''
            }.`}
      </p>
      {revivedAt !== undefined && (
        <p role="status">
          Revived at <When at={revivedAt} />.
        </p>
      )}
      {warning !== null && (
        <p role="alert">
          <strong>Not yet on the log.</strong> {warning}
        </p>
      )}
      {agentIds.length > 1 && <p>{agentIds.join(', ')}</p>}
      {open.length > 0 && (
        <ul>
          {open.map((one) => {
            const endMs = endOf(one);
            return (
              <li key={nameOf(one)} className={endMs === null ? '' : styles.over}>
                {endMs === null ? '○' : '✓'} {one.agentId}: {one.tool ?? one.type},{' '}
                {dollars(one.reservedMicros)}
                {endMs === null
                  ? `, lease ends in ${duration(Math.max(0, one.leaseExpiresAtMs - nowMs))}`
                  : `, over at ${clockTime(endMs)}`}
              </li>
            );
          })}
        </ul>
      )}
      {unnamed > 0 && <p className="quiet">{unnamed} more open calls are not named in the answer.</p>}
      <p className="row">
        <Link
          to="/decisions"
          search={{
            from: new Date(atMs).toISOString(),
            to: revivedAt,
            ...(agentIds.length === 1 && { agent: agentIds[0] }),
          }}
        >
          What {agentIds.length === 1 ? 'it' : 'agents'} asked for{' '}
          {revivedAt === undefined ? 'since' : 'until the revive'}
        </Link>
        {'agents' in answer ? (
          <Link to="/changes" search={{ event: 'agent.killed' }}>
            The kills on record
          </Link>
        ) : (
          <Link to="/changes/$id" params={{ id: answer.commandId }} search={{ event: 'agent.killed' }}>
            The kill on record
          </Link>
        )}
      </p>
      <p className="quiet">
        Kill <code>{answer.commandId}</code>
        {'revision' in answer && `, revision ${answer.revision}`}, at {clockTime(atMs)}.
      </p>
    </section>
  );
}

const IS = { now: 'is', before: 'was' } as const;
const ARE = { now: 'are', before: 'were' } as const;

/** Some events were left out, so the ledger is asked which calls have ended. The audit does not record this read. */
async function readOver(open: readonly Open[]): Promise<string[]> {
  const { open: still, next } = await get<{ open: Open[]; next: string | null }>(
    '/v1/ledger/open?limit=1000',
  );
  const names = new Set(still.map(nameOf));
  return next === null ? open.map(nameOf).filter((name) => !names.has(name)) : [];
}

function nameOf({ agentId, actionId, attempt = 1 }: { agentId: string; actionId: string; attempt?: number }) {
  return JSON.stringify([agentId, actionId, attempt]);
}

/**
 * `agentIds`: the agents that the kill names. `scope`: null for a set of agents. `sequence`: no ALLOW of these agents
 * has a higher sequence. Null: each tenant has its own sequence.
 */
function inWords(answer: KillAnswer | KillSetAnswer): {
  who: string;
  verb: typeof IS | typeof ARE;
  scope: KillAnswer['target']['scope'] | null;
  agentIds: readonly string[];
  open: readonly Open[];
  sequence: number | null;
} {
  if ('agents' in answer) {
    const { agents } = answer;
    return {
      who: `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}`,
      verb: agents.length === 1 ? IS : ARE,
      scope: null,
      agentIds: agents.map(({ agentId }) => agentId),
      open: agents.flatMap((one) => one.open),
      sequence: Math.max(...agents.map(({ sequence }) => sequence ?? 0)),
    };
  }
  const { target, open } = answer;
  const [sequence = null, ...others] = Object.values(answer.sequences);
  return {
    who: targetInWords(target),
    verb: 'agentId' in target ? IS : ARE,
    scope: target.scope,
    agentIds: 'agentId' in target ? [target.agentId] : [],
    open,
    sequence: others.length === 0 ? sequence : null,
  };
}

function targetInWords(target: KillAnswer['target']): string {
  if (target.scope === 'all') return 'All agents of all tenants';
  if (target.scope === 'tenant') return `All agents of the tenant ${target.tenant}`;
  return target.scope === 'subtree' ? `${target.agentId} and its descendants` : target.agentId;
}
