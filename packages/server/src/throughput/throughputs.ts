/**
 * Holds each API key and each tenant to its quotas in this process. The counts are in memory: a new process
 * starts with empty counts, and each process counts separately.
 */

import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord, QuotasInForce, ThroughputOf } from '@mandate/schemas';
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

export type OverQuota = {
  readonly quota: 'publish.records' | 'publish.bytes' | 'changes' | 'reads';
  readonly of: 'key' | 'tenant';
  /** The milliseconds to wait. Infinity if the amount will always be refused. */
  readonly waitMs: number;
};

type Quota = OverQuota['quota'];

/** A used quota of a tenant. `share`: the used share of the burst or of the day, whichever is larger. */
export type UsedQuota = { readonly tenant: string; readonly quota: Quota; readonly share: number };

type Charge = { readonly quota: Quota; readonly units: number; readonly throughput: ThroughputOf };

/** The number of new counts after which unused counts are removed. */
const SWEEP_AFTER = 10_000;

/** The counts of one key or one tenant: a bucket for each quota. */
type Counted = { readonly tenant: string; readonly buckets: Readonly<Record<Quota, Bucket>> };

export class Throughputs {
  readonly #quotas: (tenant: string) => QuotasInForce;
  readonly #clock: Clock;
  readonly #counted = { key: new Map<string, Counted>(), tenant: new Map<string, Counted>() };
  #sweepAt = SWEEP_AFTER;

  constructor(options: { quotas: (tenant: string) => QuotasInForce; clock: Clock }) {
    this.#quotas = options.quotas;
    this.#clock = options.clock;
  }

  /** The number of counted keys and tenants. */
  get size(): number {
    return this.#counted.key.size + this.#counted.tenant.size;
  }

  /** Returns the quota with the longest wait for this amount. Null if no quota refuses the amount. Counts nothing. */
  over(spending: Spending, spender: Spender, amount: Amount): OverQuota | null {
    return this.#over(this.#charges(spending, spender, amount), spender, this.#clock());
  }

  /**
   * Counts the whole amount and returns null. If a quota refuses the amount, counts nothing and returns this quota.
   */
  take(spending: Spending, spender: Spender, amount: Amount): OverQuota | null {
    const nowMs = this.#clock();
    const charges = this.#charges(spending, spender, amount);
    const over = this.#over(charges, spender, nowMs);
    if (over !== null) return over;
    for (const { quota, units, throughput } of charges)
      for (const of of EACH) this.#buckets(of, spender)[quota].take(units, throughput[of], nowMs);
    return null;
  }

  #over(charges: readonly Charge[], spender: Spender, nowMs: number): OverQuota | null {
    let longest: OverQuota | null = null;
    for (const { quota, units, throughput } of charges)
      for (const of of EACH) {
        const waitMs = this.#buckets(of, spender)[quota].waitMs(units, throughput[of], nowMs);
        if (waitMs > (longest?.waitMs ?? 0)) longest = { quota, of, waitMs };
      }
    return longest;
  }

  /** Returns the quotas of which tenants have used at least this share, the largest share first. */
  fullest({ leastShare, most }: { leastShare: number; most: number }): UsedQuota[] {
    const nowMs = this.#clock();
    const used: UsedQuota[] = [];
    for (const { buckets, tenant } of this.#counted.tenant.values()) {
      const quotas = this.#quotas(tenant);
      for (const quota of QUOTAS) {
        const share = buckets[quota].usedShare(throughputOf(quotas, quota).tenant, nowMs);
        if (share >= leastShare) used.push({ tenant, quota, share });
      }
    }
    return used.sort((a, b) => b.share - a.share).slice(0, most);
  }

  #charges(spending: Spending, { tenant }: Spender, { records, bytes = 0 }: Amount): readonly Charge[] {
    const quotas = this.#quotas(tenant);
    if (spending !== 'publish') return [{ quota: spending, units: records, throughput: quotas[spending] }];
    return [
      { quota: 'publish.records', units: records, throughput: quotas.publishedRecords },
      { quota: 'publish.bytes', units: bytes, throughput: quotas.publishedBytes },
    ];
  }

  #buckets(of: OverQuota['of'], { tenant, id }: Spender): Counted['buckets'] {
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
        const quotas = this.#quotas(tenant);
        const isFull = (quota: Quota) => buckets[quota].isUntouched(throughputOf(quotas, quota)[of], nowMs);
        if (QUOTAS.every(isFull)) this.#counted[of].delete(name);
      }
    this.#sweepAt = this.size + SWEEP_AFTER;
  }
}

const EACH = ['key', 'tenant'] as const;
const QUOTAS = ['publish.records', 'publish.bytes', 'changes', 'reads'] as const;

function newBuckets(): Counted['buckets'] {
  return {
    'publish.records': new Bucket(),
    'publish.bytes': new Bucket(),
    changes: new Bucket(),
    reads: new Bucket(),
  };
}

function throughputOf(quotas: QuotasInForce, quota: Quota): ThroughputOf {
  if (quota === 'publish.records') return quotas.publishedRecords;
  return quota === 'publish.bytes' ? quotas.publishedBytes : quotas[quota];
}
