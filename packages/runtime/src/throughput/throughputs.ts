/**
 * How much each API key and each tenant writes through this process. It is counted in memory: a process that starts begins
 * with nothing taken, and each of several processes counts for itself.
 */
import type { ApiKeyRecord, TenantLimitsInForce, ThroughputOf } from '@mandate/schemas';
import type { Clock } from '../clock.ts';
import { Bucket } from './bucket.ts';

/** Kinds of work, each counted by itself: published records, changes by people, reads that are put on record. */
export type Spending = 'publish' | 'changes' | 'reads';

export type Amount = {
  readonly records: number;
  /** Counted for `publish` alone. Default: 0. */
  readonly bytes?: number;
};

/** Who is counted. */
export type Spender = Pick<ApiKeyRecord, 'tenant' | 'id'>;

export type OverLimit = {
  readonly limit: 'publish.records' | 'publish.bytes' | 'changes' | 'reads';
  readonly of: 'key' | 'tenant';
  /** Infinity where it would be refused at any time. */
  readonly waitMs: number;
};

type Bound = {
  readonly limit: OverLimit['limit'];
  readonly units: number;
  readonly throughput: ThroughputOf;
};

/** Buckets are looked through for those that are full again whenever so many more were made. */
const SWEEP_AFTER = 10_000;

type Counted = {
  readonly bucket: Bucket;
  readonly tenant: string;
  readonly limit: OverLimit['limit'];
  readonly of: OverLimit['of'];
};

export class Throughputs {
  readonly #limits: (tenant: string) => TenantLimitsInForce;
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();
  #sweepAt = SWEEP_AFTER;

  constructor(options: { limits: (tenant: string) => TenantLimitsInForce; clock: Clock }) {
    this.#limits = options.limits;
    this.#clock = options.clock;
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.#counted.size;
  }

  /** The limit with the longest wait for this amount; null if no limit refuses it. Takes nothing. */
  over(spending: Spending, spender: Spender, amount: Amount): OverLimit | null {
    const nowMs = this.#clock();
    let longest: OverLimit | null = null;
    for (const { limit, units, throughput } of this.#bounds(spending, spender, amount))
      for (const of of EACH) {
        const waitMs = this.#bucket(limit, of, spender).waitMs(units, throughput[of], nowMs);
        if (waitMs > (longest?.waitMs ?? 0)) longest = { limit, of, waitMs };
      }
    return longest;
  }

  /** Takes the whole amount and returns null, or takes nothing and returns the limit that refuses it. */
  take(spending: Spending, spender: Spender, amount: Amount): OverLimit | null {
    const over = this.over(spending, spender, amount);
    if (over !== null) return over;
    const nowMs = this.#clock();
    for (const { limit, units, throughput } of this.#bounds(spending, spender, amount))
      for (const of of EACH) this.#bucket(limit, of, spender).take(units, throughput[of], nowMs);
    return null;
  }

  #bounds(spending: Spending, { tenant }: Spender, { records, bytes = 0 }: Amount): readonly Bound[] {
    const limits = this.#limits(tenant);
    if (spending !== 'publish') return [{ limit: spending, units: records, throughput: limits[spending] }];
    return [
      { limit: 'publish.records', units: records, throughput: limits.publishedRecords },
      { limit: 'publish.bytes', units: bytes, throughput: limits.publishedBytes },
    ];
  }

  #bucket(limit: OverLimit['limit'], of: OverLimit['of'], { tenant, id }: Spender): Bucket {
    const name = `${limit} ${of} ${of === 'key' ? id : tenant}`;
    const known = this.#counted.get(name);
    if (known !== undefined) return known.bucket;
    if (this.#counted.size >= this.#sweepAt) this.#sweep();
    const bucket = new Bucket();
    this.#counted.set(name, { bucket, tenant, limit, of });
    return bucket;
  }

  /** The remaining buckets are of tenants and keys that were active today. The log bounds their number. */
  #sweep(): void {
    const nowMs = this.#clock();
    for (const [name, { bucket, tenant, limit, of }] of this.#counted)
      if (bucket.isUntouched(throughputOf(this.#limits(tenant), limit)[of], nowMs))
        this.#counted.delete(name);
    this.#sweepAt = this.#counted.size + SWEEP_AFTER;
  }
}

const EACH = ['key', 'tenant'] as const;

function throughputOf(limits: TenantLimitsInForce, limit: OverLimit['limit']): ThroughputOf {
  if (limit === 'publish.records') return limits.publishedRecords;
  return limit === 'publish.bytes' ? limits.publishedBytes : limits[limit];
}
