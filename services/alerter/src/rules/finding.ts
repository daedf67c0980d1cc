import type { AlertRule, Json } from '@mandate/schemas';

/**
 * The result of a rule for one record: whether the alarm is on according to this record. A rule does not know which
 * alarms are already on. alarms.ts turns the finding into an alert, or ignores it.
 */
export type Finding = {
  rule: AlertRule;
  tenant: string | null;
  subject: string;
  holds: boolean;
  /**
   * The position of the record among the records about this subject. A finding with a lower order than the alarm
   * changes nothing.
   */
  order: number;
  at: string;
  message: string;
  facts: Readonly<Record<string, Json>>;
  /** True if the alert is only remembered: it is not listed, and no webhook gets it. */
  quiet?: boolean;
};
