import type { AlertRule, Json } from '@mandate/schemas';

/**
 * What a rule finds in one record: whether an alarm holds. Rules do not ask whether the alarm is known; alarms.ts
 * turns a finding into an alert, or into nothing.
 */
export type Finding = {
  rule: AlertRule;
  tenant: string | null;
  subject: string;
  holds: boolean;
  /**
   * The place of the record in the order of records about this subject. A finding with an older order than the alarm
   * changes nothing.
   */
  order: number;
  at: string;
  message: string;
  facts: Readonly<Record<string, Json>>;
  /** True if the alert is only recorded, to be remembered, and neither listed nor sent. */
  quiet?: boolean;
};
