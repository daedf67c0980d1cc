/** A new epoch of the ledger: its name, and the record that begins it on every partition of the decisions topic. */
import { randomUUID } from 'node:crypto';
import type { Bus } from '@mandate/bus';
import type { Clock } from '@mandate/runtime';
import { type LedgerEpoch, TOPICS, wireTime } from '@mandate/schemas';

export function newEpoch(clock: Clock): string {
  return `ep_${clock().toString(36)}_${randomUUID().slice(0, 8)}`;
}

export async function appendEpoch(
  bus: Bus,
  clock: Clock,
  epoch: Omit<LedgerEpoch['epoch'], 'at'> & { generation: number },
): Promise<void> {
  const partitions = await bus.ranges(TOPICS.decisions);
  const record: LedgerEpoch = { event: 'ledger.epoch', epoch: { ...epoch, at: wireTime(clock()) } };
  const value = JSON.stringify(record);
  await bus.append(
    TOPICS.decisions,
    partitions.map(({ partition }) => ({ key: null, value, partition })),
  );
}
