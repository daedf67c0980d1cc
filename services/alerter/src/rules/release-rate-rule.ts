/**
 * The rule for money that failed or cancelled calls release. It reports when too large a share of the money that an
 * agent reserved for a tool or model was released in the last time window. A report with a refused release counts
 * too, because it shows what the agent tries.
 */
import {
  type Decision,
  durationInWords,
  formatSum,
  outcomeResult,
  type Settlement,
  sumMicros,
} from '@mandate/schemas';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';
import { reaches, WindowedShares } from './windowed-shares.ts';

export type ReleaseRateRule = Exclude<AlertRules['releaseRate'], false>;

/**
 * How many decisions are remembered until their settlement. A settlement does not name its tool or model, so the
 * decision is needed to find the name.
 */
const MOST_OPEN = 100_000;

export class ReleaseRates {
  readonly #shares = new WindowedShares();
  /** The tool or model of each action that reserved money, the oldest first. */
  readonly #called = new Map<string, { name: string; partition: number }>();

  forget(partition: number): void {
    this.#shares.forget(partition);
    for (const [action, open] of this.#called) if (open.partition === partition) this.#called.delete(action);
  }

  note(decision: Decision, partition: number): void {
    if (decision.verdict !== 'ALLOW' || decision.chargedMicros === 0) return;
    this.#called.set(actionOf(decision), { name: decision.tool ?? decision.model ?? '', partition });
    if (this.#called.size <= MOST_OPEN) return;
    for (const oldest of this.#called.keys()) {
      this.#called.delete(oldest);
      return;
    }
  }

  /** Counts a settlement. Returns a finding about the new share. */
  settled(settlement: Settlement, partition: number, rule: ReleaseRateRule): Finding[] {
    const action = actionOf(settlement);
    const called = this.#called.get(action);
    if (settlement.kind !== 'settled' || called === undefined) return [];
    this.#called.delete(action);
    const { tenant, agentId, settledAt: at, ledgerSequence: order } = settlement;
    const { percent, leastOutcomes, windowMs } = rule;
    const [subject, atMs] = [`${tenant}/${agentId} ${called.name}`, Date.parse(at)];
    this.#shares.count({ partition, subject, atMs, ...sharesOf(settlement) }, windowMs);

    const { events: outcomes, whole, part } = this.#shares.within(subject, atMs, windowMs);
    const isSpike = outcomes >= leastOutcomes && reaches(part, whole, percent);
    // The alarm ends only below half of the threshold, so a share near the threshold is reported once.
    if (!isSpike && reaches(sumMicros(part, part), whole, percent)) return [];
    const message = `Outcomes of ${called.name} that did not succeed gave back, or tried to, ${formatSum(part)} of the ${formatSum(whole)} that ${agentId} reserved in ${durationInWords(windowMs)}.`;
    const facts = {
      ...{ agentId, called: called.name, outcomes, reservedMicros: whole, releasedMicros: part },
      ...{ percent, windowMs, keyId: settlement.reportedBy.keyId },
    };
    const about = `agent ${agentId} ${called.name}`;
    return [{ rule: 'release_rate', tenant, subject: about, holds: isSpike, order, at, message, facts }];
  }
}

/** Returns the reserved amount, and the part that the outcome released or tried to release. */
function sharesOf(settlement: Settlement) {
  const { marks, deltaMicros, chargedMicros } = settlement;
  const whole = Math.max(0, sumMicros(chargedMicros, -deltaMicros));
  if (marks.includes('RELEASE_REFUSED')) return { whole, part: whole };
  const succeeded = outcomeResult(settlement) === 'succeeded';
  return { whole, part: succeeded ? 0 : Math.max(0, -deltaMicros) };
}

function actionOf({ tenant, agentId, actionId, attempt }: Decision | Settlement): string {
  return `${tenant}/${agentId} ${actionId} ${attempt}`;
}
