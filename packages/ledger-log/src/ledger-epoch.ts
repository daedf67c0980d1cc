/**
 * A new epoch of the ledger: its name, and the record that starts the epoch on every partition of the decisions
 * topic.
 */
import { randomUUID } from 'node:crypto';
import type { Bus } from '@mandate/bus';
import type { LedgerState } from '@mandate/ledger';
import type { Clock, Logger } from '@mandate/runtime';
import { type LedgerEpoch, TOPICS, wireTime } from '@mandate/schemas';

export function newEpoch(clock: Clock): string {
  return `ep_${clock().toString(36)}_${randomUUID().slice(0, 8)}`;
}

export async function appendEpoch(
  bus: Bus,
  clock: Clock,
  epoch: Omit<LedgerEpoch['epoch'], 'at'> & { generation: number },
): Promise<void> {
  const record: LedgerEpoch = { event: 'ledger.epoch', epoch: { ...epoch, at: wireTime(clock()) } };
  const value = JSON.stringify(record);
  const announced = new Set<number>();
  // New partitions need the record too. So the loop asks again until there is no new partition.
  for (;;) {
    const fresh = (await bus.ranges(TOPICS.decisions)).filter(({ partition }) => !announced.has(partition));
    if (fresh.length === 0) return;
    await bus.append(
      TOPICS.decisions,
      fresh.map(({ partition }) => ({ key: null, value, partition })),
    );
    for (const { partition } of fresh) announced.add(partition);
  }
}

/** Warns if the replay memory on the log differs from the setting. */
export function warnOfReplayMemory(
  { replayMemoryMs }: Pick<LedgerState, 'replayMemoryMs'>,
  askedMs: number | undefined,
  log: Logger,
): void {
  if (askedMs === undefined || askedMs === replayMemoryMs) return;
  log.warn({ replayMemoryMs, askedMs }, 'the log has begun with a longer replay memory, and keeps it');
}
