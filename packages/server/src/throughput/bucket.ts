/**
 * One throughput limit, as a token bucket and a count of the day. The level of the bucket is counted in thousandths
 * of a unit, and `perSecond` of them drain in each millisecond. So all numbers are whole, and the reported wait is
 * exact.
 */
import type { Throughput } from '@mandate/schemas';

/** A UTC day, because leap seconds are not counted. */
const DAY_MS = 86_400_000;

export class Bucket {
  #taken = 0;
  #atMs = Number.POSITIVE_INFINITY;
  #day = 0;
  #takenInDay = 0;

  /**
   * How many milliseconds to wait before this many units may be taken. 0: now. Infinity: never. One take from a full
   * bucket may exceed the burst. The bucket then needs longer until units are available again.
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

  /** Takes this many units, or all that are left if they are fewer. The count of the day does not change. */
  takeWhatThereIs(units: number, limit: Throughput, nowMs: number): void {
    this.#taken = Math.min(this.#takenAt(limit, nowMs) + 1_000 * units, 1_000 * limit.burst);
    this.#atMs = nowMs;
  }

  /** Returns the used share of the burst or of the day, whichever is larger: 0 to 1. */
  usedShare(limit: Throughput, nowMs: number): number {
    const ofBurst = shareOf(this.#takenAt(limit, nowMs) / 1_000, limit.burst);
    return Math.max(ofBurst, shareOf(this.#takenOfDay(nowMs), limit.perDay));
  }

  /** True if the bucket allows as much as a new one. */
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
    // After a clock was set back, the bucket drains from the new time.
    this.#atMs = Math.min(this.#atMs, nowMs);
    return Math.max(0, this.#taken - (nowMs - this.#atMs) * perSecond);
  }

  #takenOfDay(nowMs: number): number {
    return Math.floor(nowMs / DAY_MS) === this.#day ? this.#takenInDay : 0;
  }
}

/** A limit of 0 has no used share, because it allows nothing on purpose. */
function shareOf(taken: number, most: number | null): number {
  return most === null || most === 0 ? 0 : Math.min(1, taken / most);
}
