/**
 * Turns records of the decisions into alerts, in the order of each partition. A returned alert counts as known at
 * once. So the caller must append the alert to the log, or stop.
 */
import type { LogRecord } from '@mandate/bus';
import type { Logger } from '@mandate/runtime';
import {
  type DecisionsRecord,
  type EpochInForce,
  epochAfter,
  holdsIn,
  readDecisionsRecord,
  writtenDecision,
} from '@mandate/schemas';
import { addressees } from './rules/addressees.ts';
import type { Alarms, Raised } from './rules/alarms.ts';
import type { Alerting } from './rules/alert-rules.ts';
import { BlockRates } from './rules/block-rate-rule.ts';
import { evaluate, evaluateHistory, type LoggedRecord, recall } from './rules/evaluate.ts';
import type { Finding } from './rules/finding.ts';
import { Floods } from './rules/floods.ts';
import { ReleaseRates } from './rules/release-rate-rule.ts';

export type Evaluator = {
  /** @returns the alerts to append. Records that were evaluated before give no alerts */
  evaluate(records: readonly LogRecord[]): Raised[];
  /** Counts records from before the first batch of a partition. Raises no alerts. */
  recall(records: readonly LogRecord[]): void;
  /** Forgets the counts of a partition, because another alerter may have read this partition meanwhile. */
  forget(partition: number): void;
  /** Returns an alert that does not come from a record of the log, or null if the alert is already known. */
  raise(finding: Finding): Raised | null;
};

export function createEvaluator(options: {
  alarms: Alarms;
  alerting: () => Alerting;
  /** For each partition of the decisions topic: the offset where alerting begins. */
  begun: ReadonlyMap<number, number>;
  log: Logger;
}): Evaluator {
  const { alarms, alerting, begun, log } = options;
  const rates = { blocks: new BlockRates(), releases: new ReleaseRates() };
  const floods = new Floods();
  const epochs = new Map<number, EpochInForce>();
  const nextOffsets = new Map<number, number>();

  function read({ position, value, written }: LogRecord): DecisionsRecord | null {
    let record: DecisionsRecord;
    try {
      record = writtenDecision(written) ?? readDecisionsRecord(value);
    } catch (err) {
      // The alerter goes on after an unreadable record, because the other records can still raise alerts. A decider
      // would stop.
      log.error({ err, ...position }, 'a record of the decisions topic cannot be read, and raises no alert');
      return null;
    }
    const { partition } = position;
    const inForce = epochs.get(partition) ?? null;
    if (record.event === 'ledger.epoch') epochs.set(partition, epochAfter(inForce, record.epoch));
    if (record.event === 'action.decided' && !holdsIn(inForce, record.decision.ledgerEpoch)) return null;
    if (record.event === 'action.settled' && !holdsIn(inForce, record.settlement.ledgerEpoch)) return null;
    return record;
  }

  function findingsOf(logged: LoggedRecord): Finding[] {
    const isHistory = logged.offset < (begun.get(logged.partition) ?? 0);
    try {
      return isHistory ? evaluateHistory(logged) : evaluate(logged, alerting().rules, { alarms, rates });
    } catch (err) {
      // A rule has a bug, and this record triggers it. The bug must not stop all other alerts.
      const { topic, partition, offset } = logged;
      log.error({ err, topic, partition, offset }, 'a rule failed: it raises no alert for this record');
      return [];
    }
  }

  function raise(finding: Finding, record: Raised['alert']['record']): Raised[] {
    const judged = alarms.judge(finding);
    if (judged === null) return [];
    const { event, id, episode } = judged;
    const { holds: _, quiet = false, facts, message, ...about } = finding;
    const listed = quiet ? null : floods.send(finding);
    const webhooks = listed === null ? [] : addressees({ event, alert: finding }, alerting().webhooks);
    const alert = { ...about, id, episode, facts: { ...facts }, record, webhooks, quiet };
    const raised = {
      event,
      alert: { ...alert, message: listed ? `${message} ${onlyListed(listed)}` : message },
    };
    alarms.apply(raised);
    return [raised];
  }

  return {
    evaluate(records) {
      return records.flatMap((logged) => {
        const { topic, partition, offset } = logged.position;
        if (offset < (nextOffsets.get(partition) ?? 0)) return [];
        nextOffsets.set(partition, offset + 1);
        const record = read(logged);
        if (record === null) return [];
        const findings = findingsOf({ record, topic, partition, offset });
        const position = { topic, partition, offset };
        return findings.flatMap((finding) => raise(finding, position));
      });
    },
    recall(records) {
      for (const logged of records) {
        const record = read(logged);
        if (record !== null) recall(record, logged.position.partition, alerting().rules, rates);
      }
    },
    forget(partition) {
      for (const counted of Object.values(rates)) counted.forget(partition);
      nextOffsets.delete(partition);
      epochs.delete(partition);
    },
    raise: (finding) => raise(finding, null)[0] ?? null,
  };
}

function onlyListed(many: number): string {
  return `And ${many} more before it, which \`mandate alerts\` lists.`;
}
