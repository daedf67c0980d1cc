/**
 * Too large a share of what an agent or a tenant asked for was blocked of late. Counted in buckets of a thirtieth of the
 * window, by the time of the decisions, so what is counted is the same whenever it is read.
 */
import { type Decision, durationInWords } from '@mandate/schemas';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';

export type BlockRateRule = Exclude<AlertRules['blockRate'], false>;

type Count = { decisions: number; blocks: number };

const BUCKETS = 30;

/** Counts are kept by partition of the log, so that one that goes to another alerter takes its own with it. */
export class BlockRates {
  readonly #partitions = new Map<number, Map<string, Map<number, Count>>>();
  #countedAs = '';
  #newest = 0;

  forget(partition: number): void {
    this.#partitions.delete(partition);
  }

  count(decision: Decision, partition: number, rule: BlockRateRule): void {
    const { windowMs, per } = rule;
    if (!isCounted(decision)) return;
    if (this.#countedAs !== `${windowMs} ${per}`) this.#beginAnew(`${windowMs} ${per}`);
    const bucket = bucketOf(decision, windowMs);
    if (bucket > this.#newest) this.#forgetBefore(bucket);
    const subjects = this.#partitions.get(partition) ?? new Map<string, Map<number, Count>>();
    this.#partitions.set(partition, subjects);
    const buckets = subjects.get(keyOf(decision, rule)) ?? new Map<number, Count>();
    subjects.set(keyOf(decision, rule), buckets);
    const { decisions, blocks } = buckets.get(bucket) ?? { decisions: 0, blocks: 0 };
    const isBlock = decision.verdict === 'BLOCK' ? 1 : 0;
    buckets.set(bucket, { decisions: decisions + 1, blocks: blocks + isBlock });
  }

  /** What the newest decision makes of the share; count it first. */
  findings(decision: Decision, rule: BlockRateRule): Finding[] {
    if (!isCounted(decision)) return [];
    const { percent, leastDecisions, windowMs, per } = rule;
    const { decisions, blocks } = this.#within(keyOf(decision, rule), bucketOf(decision, windowMs));
    const isSpike = decisions >= leastDecisions && blocks * 100 >= decisions * percent;
    // Half the share ends it: one that hovers at the threshold is told of once.
    if (!isSpike && blocks * 200 >= decisions * percent) return [];
    const { tenant, agentId, decidedAt: at, ledgerSequence: order } = decision;
    const who = per === 'agent' ? agentId : `the agents of ${tenant}`;
    const said = `Of ${decisions} decisions for ${who} in ${durationInWords(windowMs)}, ${blocks} were BLOCK.`;
    const facts = { per, agentId, decisions, blocks, percent, windowMs, code: decision.code };
    const subject = per === 'agent' ? `agent ${agentId}` : 'tenant';
    return [{ rule: 'block_rate', tenant, subject, holds: isSpike, order, at, said, facts }];
  }

  #within(key: string, newest: number): Count {
    const sum = { decisions: 0, blocks: 0 };
    for (const subjects of this.#partitions.values()) {
      for (const [bucket, { decisions, blocks }] of subjects.get(key) ?? []) {
        if (bucket <= newest - BUCKETS || bucket > newest) continue;
        sum.decisions += decisions;
        sum.blocks += blocks;
      }
    }
    return sum;
  }

  #beginAnew(countedAs: string): void {
    this.#countedAs = countedAs;
    this.#partitions.clear();
    this.#newest = 0;
  }

  /** Kept for twice as long as they count: partitions are not read at the same pace. */
  #forgetBefore(newest: number): void {
    this.#newest = newest;
    for (const subjects of this.#partitions.values()) {
      for (const [key, buckets] of subjects) {
        for (const bucket of buckets.keys()) if (bucket <= newest - 2 * BUCKETS) buckets.delete(bucket);
        if (buckets.size === 0) subjects.delete(key);
      }
    }
  }
}

/** Repeats are blocked because they are repeats, which says nothing of what agents may do. */
function isCounted({ kind, duplicateOf }: Decision): boolean {
  return kind !== 'duplicate' && duplicateOf === null;
}

function bucketOf({ decidedAt }: Decision, windowMs: number): number {
  return Math.floor((Date.parse(decidedAt) * BUCKETS) / windowMs);
}

function keyOf({ tenant, agentId }: Decision, { per }: BlockRateRule): string {
  return per === 'agent' ? `${tenant}/${agentId}` : tenant;
}
