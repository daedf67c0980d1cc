/**
 * One throughput limit: a leaky bucket, and a count for the day. The bucket counts the taken units in thousandths. In
 * each millisecond it drains by `perSecond` thousandths. So all numbers are integers, and the reported wait is exact.
 */
import type { Throughput } from '@mandate/schemas';

/** The length of a UTC day, which has no leap seconds here. */
const DAY_MS = 86_400_000;

export class Bucket {
  #taken = 0;
  #atMs = Number.POSITIVE_INFINITY;
  #day = 0;
  #takenInDay = 0;

  /**
   * Returns the milliseconds to wait before this many units may be taken. 0: now. Infinity: never. One call may take
   * more than the burst from a full bucket. Then more time passes until units are available again.
   */
  waitMs(units: number, limit: Throughput, nowMs: number): number {
    return Math.max(this.#waitForRoom(units, limit, nowMs), this.#waitForDay(units, limit, nowMs));
  }

  take(units: number, limit: Throughput, nowMs: number): void {
    this.#taken = this.#takenAt(limit, nowMs) + 1_000 * units;
    this.#atMs = nowMs;
    this.#takenInDay = this.#takenOfDay(nowMs) + units;
    this.#day = Math.floor(nowMs / DAY_MS);
  }

  /** Takes this many units, or all remaining units if they are fewer. The count for the day does not change. */
  takeWhatThereIs(units: number, limit: Throughput, nowMs: number): void {
    this.#taken = Math.min(this.#takenAt(limit, nowMs) + 1_000 * units, 1_000 * limit.burst);
    this.#atMs = nowMs;
  }

  /** Returns the larger of two used shares, of the burst and of the day: 0 to 1. */
  usedShare(limit: Throughput, nowMs: number): number {
    const ofBurst = shareOf(this.#takenAt(limit, nowMs) / 1_000, limit.burst);
    return Math.max(ofBurst, shareOf(this.#takenOfDay(nowMs), limit.perDay));
  }

  /** True if the bucket allows as much as an unused bucket. */
  isUntouched(limit: Throughput, nowMs: number): boolean {
    return this.#takenAt(limit, nowMs) === 0 && (limit.perDay === null || this.#takenOfDay(nowMs) === 0);
  }

  #waitForRoom(units: number, { perSecond, burst }: Throughput, nowMs: number): number {
    if (burst === 0) return Number.POSITIVE_INFINITY;
    const over = this.#takenAt({ perSecond }, nowMs) + 1_000 * (Math.min(units, burst) - burst);
    return over <= 0 ? 0 : Math.ceil(over / perSecond);
  }

  #waitForDay(units: number, { perDay }: Throughput, nowMs: number): number {
    if (perDay === null) return 0;
    if (perDay === 0) return Number.POSITIVE_INFINITY;
    if (this.#takenOfDay(nowMs) + Math.min(units, perDay) <= perDay) return 0;
    return DAY_MS - (nowMs % DAY_MS);
  }

  #takenAt({ perSecond }: Pick<Throughput, 'perSecond'>, nowMs: number): number {
    // If the clock was set back, the bucket drains from the new time on.
    this.#atMs = Math.min(this.#atMs, nowMs);
    return Math.max(0, this.#taken - (nowMs - this.#atMs) * perSecond);
  }

  #takenOfDay(nowMs: number): number {
    return Math.floor(nowMs / DAY_MS) === this.#day ? this.#takenInDay : 0;
  }
}

/** Returns the used share of a limit. A limit of 0 has none, because it intentionally allows nothing. */
function shareOf(taken: number, most: number | null): number {
  return most === null || most === 0 ? 0 : Math.min(1, taken / most);
}
