/** The port of the audit: what is recorded, and what takes it. */
import type { ActionDecided, ActionSettled } from '@mandate/schemas';

/** A decision or a settlement, in the form in which a plane records it. */
export type AuditRecord = ActionDecided | ActionSettled;

/** Takes the records of the audit. */
export interface AuditOutput {
  /** Names the output in errors and in the name of its spill file. Use the same name after a restart. */
  readonly name: string;
  /**
   * Takes records in their order. Resolves when the output has them. If the promise rejects, the queue sends the same
   * records again. The queue waits for the promise, so the promise must settle in a bounded time.
   *
   * @param lines the records as JSON, each without a line break
   * @throws RecordsRefused if the output permanently refuses some of the records, and has taken the others
   */
  write(records: readonly AuditRecord[], lines: readonly string[]): Promise<void>;
  close?(): Promise<void>;
}

/** An output, or a function that takes the records. */
export type AuditTarget = AuditOutput | ((records: readonly AuditRecord[]) => unknown);

/**
 * `written`: records that the output has taken. `waiting`: in memory. `spilled`: in the spill file. `lost`: neither
 * written nor waiting.
 */
export type AuditCounts = { written: number; waiting: number; spilled: number; lost: number };
