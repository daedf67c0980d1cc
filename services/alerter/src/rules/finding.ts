import type { AlertRule, Json } from '@mandate/schemas';

/**
 * What a rule reads from one record: whether an alarm holds. It does not ask whether it is known already; alarms.ts
 * makes of it an alert, or nothing.
 */
export type Finding = {
  rule: AlertRule;
  tenant: string | null;
  subject: string;
  holds: boolean;
  /**
   * The order of the record among those about this subject: a record that is older than what is known changes nothing.
   */
  order: number;
  at: string;
  said: string;
  facts: Readonly<Record<string, Json>>;
  /** To be noted only. */
  quiet?: boolean;
};
