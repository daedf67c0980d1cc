/**
 * Limits the writes of each API key and each tenant through this process. The counts are in memory: a new process
 * starts with empty counts, and each process counts separately.
 */

import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord, TenantLimitsInForce, ThroughputOf } from '@mandate/schemas';
import { Bucket } from './bucket.ts';

/** Kinds of work with separate counts: published records, changes by people, and recorded reads. */
export type Spending = 'publish' | 'changes' | 'reads';

export type Amount = {
  readonly records: number;
  /** The number of bytes. It counts for `publish` only. Default: 0. */
  readonly bytes?: number;
};

/** The key and the tenant for which an amount counts. */
export type Spender = Pick<ApiKeyRecord, 'tenant' | 'id'>;

export type OverLimit = {
  readonly limit: 'publish.records' | 'publish.bytes' | 'changes' | 'reads';
  readonly of: 'key' | 'tenant';
  /** The milliseconds to wait. Infinity if the amount will always be refused. */
  readonly waitMs: number;
};

type Limit = OverLimit['limit'];

/** A used limit of a tenant. `share`: the used share of the burst or of the day, whichever is larger. */
export type UsedLimit = { readonly tenant: string; readonly limit: Limit; readonly share: number };

type Bound = { readonly limit: Limit; readonly units: number; readonly throughput: ThroughputOf };

/** The number of new counts after which unused counts are removed. */
const SWEEP_AFTER = 10_000;

/** The counts of one key or one tenant: a bucket for each limit. */
type Counted = { readonly tenant: string; readonly buckets: Readonly<Record<Limit, Bucket>> };

export class Throughputs {
  readonly #limits: (tenant: string) => TenantLimitsInForce;
  readonly #clock: Clock;
  readonly #counted = { key: new Map<string, Counted>(), tenant: new Map<string, Counted>() };
  #sweepAt = SWEEP_AFTER;

  constructor(options: { limits: (tenant: string) => TenantLimitsInForce; clock: Clock }) {
    this.#limits = options.limits;
    this.#clock = options.clock;
  }

  /** The number of counted keys and tenants. */
  get size(): number {
    return this.#counted.key.size + this.#counted.tenant.size;
  }

  /** Returns the limit with the longest wait for this amount. Null if no limit refuses the amount. Counts nothing. */
  over(spending: Spending, spender: Spender, amount: Amount): OverLimit | null {
    return this.#over(this.#bounds(spending, spender, amount), spender, this.#clock());
  }

  /**
   * Counts the whole amount and returns null. If a limit refuses the amount, counts nothing and returns this limit.
   */
  take(spending: Spending, spender: Spender, amount: Amount): OverLimit | null {
    const nowMs = this.#clock();
    const bounds = this.#bounds(spending, spender, amount);
    const over = this.#over(bounds, spender, nowMs);
    if (over !== null) return over;
    for (const { limit, units, throughput } of bounds)
      for (const of of EACH) this.#buckets(of, spender)[limit].take(units, throughput[of], nowMs);
    return null;
  }

  #over(bounds: readonly Bound[], spender: Spender, nowMs: number): OverLimit | null {
    let longest: OverLimit | null = null;
    for (const { limit, units, throughput } of bounds)
      for (const of of EACH) {
        const waitMs = this.#buckets(of, spender)[limit].waitMs(units, throughput[of], nowMs);
        if (waitMs > (longest?.waitMs ?? 0)) longest = { limit, of, waitMs };
      }
    return longest;
  }

  /** Returns the limits of which tenants have used at least this share, the largest share first. */
  fullest({ leastShare, most }: { leastShare: number; most: number }): UsedLimit[] {
    const nowMs = this.#clock();
    const used: UsedLimit[] = [];
    for (const { buckets, tenant } of this.#counted.tenant.values()) {
      const limits = this.#limits(tenant);
      for (const limit of LIMITS) {
        const share = buckets[limit].usedShare(throughputOf(limits, limit).tenant, nowMs);
        if (share >= leastShare) used.push({ tenant, limit, share });
      }
    }
    return used.sort((a, b) => b.share - a.share).slice(0, most);
  }

  #bounds(spending: Spending, { tenant }: Spender, { records, bytes = 0 }: Amount): readonly Bound[] {
    const limits = this.#limits(tenant);
    if (spending !== 'publish') return [{ limit: spending, units: records, throughput: limits[spending] }];
    return [
      { limit: 'publish.records', units: records, throughput: limits.publishedRecords },
      { limit: 'publish.bytes', units: bytes, throughput: limits.publishedBytes },
    ];
  }

  #buckets(of: OverLimit['of'], { tenant, id }: Spender): Counted['buckets'] {
    const name = of === 'key' ? id : tenant;
    const known = this.#counted[of].get(name);
    if (known !== undefined) return known.buckets;
    if (this.size >= this.#sweepAt) this.#sweep();
    const made: Counted = { tenant, buckets: newBuckets() };
    this.#counted[of].set(name, made);
    return made.buckets;
  }

  /**
   * Removes the counts that are unused again. The remaining counts belong to tenants and keys that were active today.
   * The log limits the number of these tenants and keys.
   */
  #sweep(): void {
    const nowMs = this.#clock();
    for (const of of EACH)
      for (const [name, { buckets, tenant }] of this.#counted[of]) {
        const limits = this.#limits(tenant);
        const isFull = (limit: Limit) => buckets[limit].isUntouched(throughputOf(limits, limit)[of], nowMs);
        if (LIMITS.every(isFull)) this.#counted[of].delete(name);
      }
    this.#sweepAt = this.size + SWEEP_AFTER;
  }
}

const EACH = ['key', 'tenant'] as const;
const LIMITS = ['publish.records', 'publish.bytes', 'changes', 'reads'] as const;

function newBuckets(): Counted['buckets'] {
  return {
    'publish.records': new Bucket(),
    'publish.bytes': new Bucket(),
    changes: new Bucket(),
    reads: new Bucket(),
  };
}

function throughputOf(limits: TenantLimitsInForce, limit: Limit): ThroughputOf {
  if (limit === 'publish.records') return limits.publishedRecords;
  return limit === 'publish.bytes' ? limits.publishedBytes : limits[limit];
}
