/**
 * Computes for each subject a share in the last time window, such as the blocked actions among all actions. Counts
 * are in buckets of a thirtieth of the window. Time is measured by the times of the records, so a replay of the log
 * gives the same counts.
 */
import { sumMicros } from '@mandate/schemas';

/**
 * The counts of a subject. `events`: the number of counted events. `part` is a part of `whole`; both have the same
 * unit.
 */
export type Share = { events: number; whole: number; part: number };

const BUCKETS = 30;

/**
 * Counts are separate for each partition of the log. When another alerter gets a partition, the counts of the
 * partition are forgotten here.
 */
export class WindowedShares {
  readonly #partitions = new Map<number, Map<string, Map<number, Share>>>();
  #countedAs = '';
  #newest = 0;

  forget(partition: number): void {
    this.#partitions.delete(partition);
  }

  /** @param countedAs what the subjects are; if this value or the window changes, counting starts again from zero */
  count(
    counted: { partition: number; subject: string; atMs: number; whole: number; part: number },
    windowMs: number,
    countedAs = '',
  ): void {
    const { partition, subject, atMs, whole, part } = counted;
    if (this.#countedAs !== `${windowMs} ${countedAs}`) this.#beginAgain(`${windowMs} ${countedAs}`);
    const bucket = bucketOf(atMs, windowMs);
    if (bucket > this.#newest) this.#forgetBefore(bucket);
    const subjects = this.#partitions.get(partition) ?? new Map<string, Map<number, Share>>();
    this.#partitions.set(partition, subjects);
    const buckets = subjects.get(subject) ?? new Map<number, Share>();
    subjects.set(subject, buckets);
    buckets.set(bucket, added(buckets.get(bucket) ?? NONE, { events: 1, whole, part }));
  }

  /** Returns the share over all partitions, in the window that ends at `atMs`. */
  within(subject: string, atMs: number, windowMs: number): Share {
    const newest = bucketOf(atMs, windowMs);
    let sum = NONE;
    for (const subjects of this.#partitions.values()) {
      for (const [bucket, share] of subjects.get(subject) ?? []) {
        if (bucket > newest - BUCKETS && bucket <= newest) sum = added(sum, share);
      }
    }
    return sum;
  }

  #beginAgain(countedAs: string): void {
    this.#countedAs = countedAs;
    this.#partitions.clear();
    this.#newest = 0;
  }

  /** Buckets are kept for two windows instead of one, because partitions are not read at the same speed. */
  #forgetBefore(newest: number): void {
    this.#newest = newest;
    for (const subjects of this.#partitions.values()) {
      for (const [subject, buckets] of subjects) {
        for (const bucket of buckets.keys()) if (bucket <= newest - 2 * BUCKETS) buckets.delete(bucket);
        if (buckets.size === 0) subjects.delete(subject);
      }
    }
  }
}

const NONE: Share = { events: 0, whole: 0, part: 0 };

function added(one: Share, other: Share): Share {
  return {
    events: one.events + other.events,
    whole: sumMicros(one.whole, other.whole),
    part: sumMicros(one.part, other.part),
  };
}

/**
 * True if `part` is at least this percentage of `whole`. Exact even if 100 times an amount exceeds the safe integers.
 */
export function reaches(part: number, whole: number, percent: number): boolean {
  const [shown, asked] = [part * 100, whole * percent];
  if (Number.isSafeInteger(shown) && Number.isSafeInteger(asked)) return shown >= asked;
  return BigInt(part) * 100n >= BigInt(whole) * BigInt(percent);
}

function bucketOf(atMs: number, windowMs: number): number {
  return Math.floor((atMs * BUCKETS) / windowMs);
}
