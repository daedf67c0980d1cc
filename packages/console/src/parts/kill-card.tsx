/** What a kill has done: the fence, and each allowed call that may still run, until none is left. */
import type { KillAnswer } from '@mandate/gateway';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type LiveEvent, useLiveEvents } from '../data/live.ts';
import { dollars } from '../data/money.ts';
import { clockTime, duration } from '../data/time.ts';
import styles from './parts.module.css';
import { useNow } from './when.tsx';

export type Killed = { answer: KillAnswer; tookMs: number; atMs: number };

type Open = KillAnswer['open'][number];

export function KillCard({
  killed: { answer, tookMs, atMs },
  onClose,
}: {
  killed: Killed;
  onClose: () => void;
}) {
  const nowMs = useNow();
  const [over, setOver] = useState<ReadonlyMap<string, number>>(new Map());
  const open: readonly Open[] = answer.open;
  useLiveEvents(
    useCallback(
      (event: LiveEvent) => {
        if (event.kind !== 'settlement') return;
        const name = nameOf(event.data);
        if (open.some((one) => nameOf(one) === name)) {
          setOver((before) => new Map(before).set(name, Date.now()));
        }
      },
      [open],
    ),
  );
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
  const who = targetInWords(answer.target);
  const sequences = Object.values(answer.sequences);
  return (
    <section className={`${styles.card} ${isDone ? styles.done : ''}`} aria-label={`Kill of ${who}`}>
      <div className={styles.heading}>
        <h2>
          {who} {answer.target.scope === 'agent' || answer.target.scope === 'subtree' ? 'is' : 'are'} stopped
        </h2>
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </div>
      <p role="status">
        Acknowledged in {duration(tookMs)}.{' '}
        {sequences.length === 1 && `No ALLOW after sequence ${sequences[0]}. `}
        {isDone
          ? `Nothing runs any more, since ${clockTime(lastEndMs)}.`
          : `May still run: ${running.length + unnamed} open ${running.length + unnamed === 1 ? 'call' : 'calls'}${
              reserved > 0 ? `, ${dollars(reserved)} reserved` : ''
            }.`}
      </p>
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
            ...('agentId' in answer.target && { agent: answer.target.agentId }),
          }}
        >
          What it asked for since
        </Link>
        <Link to="/changes/$id" params={{ id: answer.commandId }} search={{ event: 'agent.killed' }}>
          The kill on record
        </Link>
      </p>
      <p className="quiet">
        Kill <code>{answer.commandId}</code>, revision {answer.revision}, at {clockTime(atMs)}.
      </p>
    </section>
  );
}

function nameOf({ agentId, actionId, attempt = 1 }: { agentId: string; actionId: string; attempt?: number }) {
  return JSON.stringify([agentId, actionId, attempt]);
}

function targetInWords(target: KillAnswer['target']): string {
  if (target.scope === 'all') return 'All agents of all tenants';
  if (target.scope === 'tenant') return `All agents of the tenant ${target.tenant}`;
  return target.scope === 'subtree' ? `${target.agentId} and its descendants` : target.agentId;
}
