/**
 * Follows a table while it fills: returns each row once, in the order of the log, from any log position on.
 *
 * Why no row is missed: a recorder stores the batches of a partition in order, and each batch from its beginning (see
 * record.ts). So the visible rows of a partition are always all rows up to some offset, and reading continues after
 * the last offset that was read. Later, only repeats of stored rows arrive before that offset.
 *
 * Why no row is returned twice: of several deliveries of one id, the first valid delivery counts. No later delivery
 * in the same partition can replace it. So a row is returned only at the offset of that delivery.
 *
 * Order: the order of the log within a partition. So the order is exact for each agent, because the records of an
 * agent share a partition. Across partitions the order is roughly the order of time. After the number of partitions
 * has changed, a decision may be in two partitions. Then it is returned from both. A control event, such as an epoch,
 * may be in all partitions. A listener gets it once, from the partition where it first reads it.
 *
 * Rows that were recorded long ago are not read. So a row must become visible within `ARRIVES_WITHIN_MS` after the
 * recorder read it, by the clock of the listener. A slower insert, or a larger difference of clocks, would lose rows
 * to listeners. An insert takes seconds, because a recorder reads again what it could not insert.
 */
import { MOST_IDS, TAIL_ROWS_A_PARTITION } from '../queries/tail-source.ts';
import type { AskAudit, Feed, RowPosition, TailRow } from './feed.ts';

export const ARRIVES_WITHIN_MS = 15 * 60_000;

/** How far a listener has read a table. */
export type FeedPosition = {
  /** Rows with an earlier time are not returned. The value never changes while a listener follows the table. */
  sinceMs: number;
  /** The last time at which all visible rows after `through` had been read, in epoch milliseconds. */
  lookedAtMs: number;
  /** The last offset that was read, by partition. A partition that is missing has not been read. */
  through: ReadonlyMap<number, number>;
};

/** Returns the position before everything that was decided or settled since this time. */
export function positionSince(sinceMs: number): FeedPosition {
  return { sinceMs, lookedAtMs: sinceMs, through: new Map() };
}

/**
 * Returns the position after all rows that are stored now. A row that is stored later is returned only if its time is
 * recent. The earliest time is a whole hour, so that listeners of the same hour can be at the same place.
 */
export async function positionNow(
  ask: AskAudit,
  feed: Pick<Feed<never>, 'tenant' | 'ends'>,
  nowMs: number,
): Promise<FeedPosition> {
  const recentMs = longBefore(nowMs);
  const sinceMs = recentMs - (recentMs % 3_600_000);
  const ends = await feed.ends(ask, {
    tenant: feed.tenant,
    sinceMs,
    recordedFromMs: minuteOf(recentMs),
  });
  const through = new Map(ends.map(({ logPartition, logOffset }) => [logPartition, logOffset]));
  return { sinceMs, lookedAtMs: nowMs, through };
}

/** Returns a text that is equal for positions after which the same rows follow. */
export function placeOf({ sinceMs, lookedAtMs, through }: FeedPosition): string {
  return JSON.stringify([sinceMs, minuteOf(lookedAtMs), [...through]]);
}

/** A row that counts, the time when it was decided, settled or done, and the position after it. */
type FollowedRow<Row> = { row: Row; atMs: number; position: FeedPosition };

/**
 * Yields rows after `from`, up to the limit of one answer. Returns the position after all rows that were read,
 * including skipped rows. `isAll` is true if no row was left.
 */
export async function* rowsAfter<Row extends RowPosition & { id: string }>(
  ask: AskAudit,
  feed: Feed<Row>,
  from: FeedPosition,
  nowMs: number,
): AsyncGenerator<FollowedRow<Row>, { position: FeedPosition; isAll: boolean }> {
  const { sinceMs, lookedAtMs } = from;
  const through = new Map([...from.through].toSorted(([one], [other]) => one - other));
  const tail = await feed.after(ask, {
    tenant: feed.tenant,
    sinceMs: minuteOf(sinceMs),
    recordedFromMs: minuteOf(longBefore(lookedAtMs)),
    partitions: [...through.keys()],
    through: [...through.values()],
  });
  const { inOrder, isAll } = merged(tail);
  for (let start = 0; start < inOrder.length; start += MOST_IDS) {
    const some = inOrder.slice(start, start + MOST_IDS);
    const rows = await feed.validRows(ask, [...new Set(some.map(({ id }) => id))]);
    const valid = new Map(rows.map((row) => [keyOf(row), row]));
    const alike = Map.groupBy(rows, (row) => feed.identityOf(row));
    const isPassed = (of: RowPosition) => of.logOffset <= (through.get(of.logPartition) ?? -1);
    for (const tailRow of some) {
      const { logPartition, logOffset, atMs } = tailRow;
      // ClickHouse may contain the same delivery twice until it merges the parts of the table.
      if (isPassed(tailRow)) continue;
      const row = valid.get(keyOf(tailRow));
      const isNew = atMs >= sinceMs && row !== undefined && !alike.get(feed.identityOf(row))?.some(isPassed);
      through.set(logPartition, logOffset);
      if (isNew) yield { row, atMs, position: { sinceMs, lookedAtMs, through: new Map(through) } };
    }
  }
  return { position: { sinceMs, lookedAtMs: isAll ? nowMs : lookedAtMs, through }, isAll };
}

/** Merges the partitions by time. Always takes the earliest of the next rows, so each partition keeps its order. */
function merged(tail: readonly TailRow[]): { inOrder: TailRow[]; isAll: boolean } {
  const queues = [...Map.groupBy(tail, ({ logPartition }) => logPartition).values()];
  const isAll = queues.every(({ length }) => length < TAIL_ROWS_A_PARTITION);
  const waiting = queues.map((queue) => queue.values());
  const heads = waiting.map((queue) => queue.next().value);
  const inOrder: TailRow[] = [];
  while (inOrder.length < tail.length) {
    const earliest = heads.reduce((best, head) => (isBefore(head, best) ? head : best), undefined);
    if (earliest === undefined) break;
    const at = heads.indexOf(earliest);
    heads[at] = waiting[at]?.next().value;
    inOrder.push(earliest);
  }
  return { inOrder, isAll };
}

function isBefore(one: TailRow | undefined, other: TailRow | undefined): boolean {
  return one !== undefined && (other === undefined || one.atMs < other.atMs);
}

function keyOf({ id, logPartition, logOffset }: RowPosition & { id: string }): string {
  return `${id} ${logPartition} ${logOffset}`;
}

/**
 * Questions begin at whole minutes. So listeners who have read equally far ask the same question, and can share its
 * answer.
 */
function minuteOf(atMs: number): number {
  return atMs - (atMs % 60_000);
}

function longBefore(atMs: number): number {
  return Math.max(0, atMs - ARRIVES_WITHIN_MS);
}
