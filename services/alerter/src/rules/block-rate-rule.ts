/** Finds agents or tenants with too many blocked actions in the last time window, as a share of all their actions. */
import { type Decision, durationInWords } from '@mandate/schemas';
import type { Alarms } from './alarms.ts';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';
import { reaches, WindowedShares } from './windowed-shares.ts';

export type BlockRateRule = Exclude<AlertRules['blockRate'], false>;

export class BlockRates {
  readonly #shares = new WindowedShares();

  forget(partition: number): void {
    this.#shares.forget(partition);
  }

  count(decision: Decision, partition: number, rule: BlockRateRule): void {
    if (!isCounted(decision)) return;
    const atMs = Date.parse(decision.decidedAt);
    const part = decision.verdict === 'BLOCK' ? 1 : 0;
    const counted = { partition, subject: keyOf(decision, rule), atMs, whole: 1, part };
    this.#shares.count(counted, rule.windowMs, rule.per);
  }

  /**
   * Returns the findings after the newest decision. The decision must be counted first.
   *
   * @param alarms the known alarms; a small share is a finding only if it may clear a known alarm
   */
  findings(decision: Decision, rule: BlockRateRule, alarms: Alarms): Finding[] {
    if (!isCounted(decision)) return [];
    const { percent, leastDecisions, windowMs, per } = rule;
    const atMs = Date.parse(decision.decidedAt);
    const { events: decisions, part: blocks } = this.#shares.within(keyOf(decision, rule), atMs, windowMs);
    const isSpike = decisions >= leastDecisions && reaches(blocks, decisions, percent);
    // The alarm ends only below half of the threshold, so a share near the threshold is reported once.
    if (!isSpike && reaches(2 * blocks, decisions, percent)) return [];
    const { tenant, agentId, decidedAt: at, ledgerSequence: order } = decision;
    const subject = per === 'agent' ? `agent ${agentId}` : 'tenant';
    if (!isSpike && alarms.get('block_rate', tenant, subject) === undefined) return [];
    const who = per === 'agent' ? agentId : `the agents of ${tenant}`;
    const message = `Of ${decisions} decisions for ${who} in ${durationInWords(windowMs)}, ${blocks} were BLOCK.`;
    const facts = { per, agentId, decisions, blocks, percent, windowMs, code: decision.code };
    return [{ rule: 'block_rate', tenant, subject, holds: isSpike, order, at, message, facts }];
  }
}

/** True if the decision counts. A duplicate does not count, because it is blocked only for being a duplicate. */
function isCounted({ kind, duplicateOf }: Decision): boolean {
  return kind !== 'duplicate' && duplicateOf === null;
}

function keyOf({ tenant, agentId }: Decision, { per }: BlockRateRule): string {
  return per === 'agent' ? `${tenant}/${agentId}` : tenant;
}
