/**
 * One throughput limit, as a token bucket and a count of the day. What was taken is kept in thousandths of a unit, of which
 * `perSecond` drain in each millisecond: so all numbers are whole, and the wait that is told is the exact one.
 */
import type { Throughput } from '@mandate/schemas';

/** UTC, as no leap second is counted. */
const DAY_MS = 86_400_000;

export class Bucket {
  #taken = 0;
  #atMs = Number.POSITIVE_INFINITY;
  #day = 0;
  #takenInDay = 0;

  /**
   * How many milliseconds to wait before so many may be taken; 0: they may be taken now; Infinity: never. More than the
   * burst may be taken of a full bucket: it then takes so much longer until it has room again.
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

  /** Takes what there is of so many, and leaves it empty where that is less. Of what it gives in a day nothing is taken. */
  takeWhatThereIs(units: number, limit: Throughput, nowMs: number): void {
    this.#taken = Math.min(this.#takenAt(limit, nowMs) + 1_000 * units, 1_000 * limit.burst);
    this.#atMs = nowMs;
  }

  /** Whether it is as one that nothing was ever taken of. */
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
    // A clock that was set back drains from where it is now.
    this.#atMs = Math.min(this.#atMs, nowMs);
    return Math.max(0, this.#taken - (nowMs - this.#atMs) * perSecond);
  }

  #takenOfDay(nowMs: number): number {
    return Math.floor(nowMs / DAY_MS) === this.#day ? this.#takenInDay : 0;
  }
}
