/**
 * Follows a table as it fills: each row once, in the order of the log, from any place on.
 *
 * What makes that exact: a recorder lands each partition of the log in order, batch behind batch, and of a batch that is
 * half there the first half (see record.ts). So whatever of a partition can be seen is everything up to some offset, and
 * the offset that one has read up to is the place to go on from: nothing lands before it any more but repeats of what
 * lies there already. Which of several deliveries of one id stands is the first that is not void; behind it in the same
 * partition none can take its place. So a row is told where it stands, and nowhere else.
 *
 * Order: that of the log within a partition, and so for each agent, because its records share one; across partitions
 * nearly that of time. A decision in two partitions, as after a change of their number, is told in both. A control event
 * may be meant to lie in all of them, as an epoch does, and is told where its listener first comes upon it: not behind a
 * place that has passed it elsewhere.
 *
 * Rows that were recorded long ago are not looked at. So a row counts only if it can be seen `LANDS_WITHIN_MS` after the
 * recorder read it, by the clock of the listener: an insert that took longer, or a clock that is further off, would be
 * passed over. A recorder reads again what it could not insert, so an insert takes seconds.
 */
import { LANDED_A_PARTITION, MOST_IDS } from '../queries/landed.ts';
import type { AskAudit, Feed, Landed, LogPosition } from './feed.ts';

export const LANDS_WITHIN_MS = 15 * 60_000;

/** Up to where a table was read. */
export type FeedPosition = {
  /** What was decided or settled before is not told. Fixed when the following began. */
  sinceMs: number;
  /** When everything behind `through` that could be seen had been read. */
  lookedAtMs: number;
  /** By partition, the last offset that was read; of other partitions nothing was. */
  through: ReadonlyMap<number, number>;
};

/** Before everything that was decided or settled from then on. */
export function positionSince(sinceMs: number): FeedPosition {
  return { sinceMs, lookedAtMs: sinceMs, through: new Map() };
}

/** Behind everything that is there now. What was decided long before and lands later is told of no more than the rest. */
export async function positionNow(
  ask: AskAudit,
  feed: Pick<Feed<never>, 'tenant' | 'ends'>,
  nowMs: number,
): Promise<FeedPosition> {
  const sinceMs = longBefore(nowMs);
  const ends = await feed.ends(ask, { tenant: feed.tenant, sinceMs, recordedFromMs: sinceMs });
  const through = new Map(ends.map(({ logPartition, logOffset }) => [logPartition, logOffset]));
  return { sinceMs, lookedAtMs: nowMs, through };
}

/** A row that stands, when it was decided, settled or done, and the position after it. */
type FollowedRow<Row> = { row: Row; atMs: number; position: FeedPosition };

/**
 * The rows after `from`, as many as one answer holds. The result of the generator is the position after all rows that were
 * read, also those that are left out, and whether that was all there is.
 */
export async function* rowsAfter<Row extends LogPosition & { id: string }>(
  ask: AskAudit,
  feed: Feed<Row>,
  from: FeedPosition,
  nowMs: number,
): AsyncGenerator<FollowedRow<Row>, { position: FeedPosition; isAll: boolean }> {
  const { sinceMs, lookedAtMs } = from;
  const through = new Map(from.through);
  const landed = await feed.behind(ask, {
    tenant: feed.tenant,
    sinceMs,
    recordedFromMs: longBefore(lookedAtMs),
    partitions: [...through.keys()],
    through: [...through.values()],
  });
  const { inOrder, isAll } = merged(landed);
  for (let start = 0; start < inOrder.length; start += MOST_IDS) {
    const some = inOrder.slice(start, start + MOST_IDS);
    const rows = await feed.standing(ask, [...new Set(some.map(({ id }) => id))]);
    const standing = new Map(rows.map((row) => [keyOf(row), row]));
    const alike = Map.groupBy(rows, (row) => feed.identityOf(row));
    const isPassed = (of: LogPosition) => of.logOffset <= (through.get(of.logPartition) ?? -1);
    for (const landedRow of some) {
      const { logPartition, logOffset, atMs } = landedRow;
      // The same delivery may be there twice, until ClickHouse has merged its parts.
      if (isPassed(landedRow)) continue;
      const row = standing.get(keyOf(landedRow));
      const isNew = row !== undefined && !alike.get(feed.identityOf(row))?.some(isPassed);
      through.set(logPartition, logOffset);
      if (isNew) yield { row, atMs, position: { sinceMs, lookedAtMs, through: new Map(through) } };
    }
  }
  return { position: { sinceMs, lookedAtMs: isAll ? nowMs : lookedAtMs, through }, isAll };
}

/** Partitions, each in its order, merged by time: always the earliest of those that are next. */
function merged(landed: readonly Landed[]): { inOrder: Landed[]; isAll: boolean } {
  const queues = [...Map.groupBy(landed, ({ logPartition }) => logPartition).values()];
  const isAll = queues.every(({ length }) => length < LANDED_A_PARTITION);
  const waiting = queues.map((queue) => queue.values());
  const heads = waiting.map((queue) => queue.next().value);
  const inOrder: Landed[] = [];
  while (inOrder.length < landed.length) {
    const earliest = heads.reduce((best, head) => (isBefore(head, best) ? head : best), undefined);
    if (earliest === undefined) break;
    const at = heads.indexOf(earliest);
    heads[at] = waiting[at]?.next().value;
    inOrder.push(earliest);
  }
  return { inOrder, isAll };
}

function isBefore(one: Landed | undefined, other: Landed | undefined): boolean {
  return one !== undefined && (other === undefined || one.atMs < other.atMs);
}

function keyOf({ id, logPartition, logOffset }: LogPosition & { id: string }): string {
  return `${id} ${logPartition} ${logOffset}`;
}

function longBefore(atMs: number): number {
  return Math.max(0, atMs - LANDS_WITHIN_MS);
}
