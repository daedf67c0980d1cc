/** The port of the audit: its records, and the outputs that accept them. */
import type { ActionDecided, ActionSettled } from '@mandate/schemas';

/** A decision or a settlement, in the form in which a plane records it. */
export type AuditRecord = ActionDecided | ActionSettled;

/** Accepts the records of the audit. */
export interface AuditOutput {
  /** The name of the output in errors and in the name of its spill file. Use the same name after a restart. */
  readonly name: string;
  /**
   * Accepts records in their order. Resolves when the output has them. If the promise rejects, the queue sends the same
   * records again. The queue waits for the promise, so the promise must settle in a bounded time.
   *
   * @param lines the records as JSON, each without a line break
   * @throws RecordsRefused if the output permanently refuses some of the records, and has accepted the others
   */
  write(records: readonly AuditRecord[], lines: readonly string[]): Promise<void>;
  close?(): Promise<void>;
}

/** An output, or a function that accepts the records. */
export type AuditTarget = AuditOutput | ((records: readonly AuditRecord[]) => unknown);

/**
 * The numbers of records. `written`: accepted by the output. `waiting`: in memory. `spilled`: in the spill file.
 * `lost`: neither written nor waiting.
 */
export type AuditCounts = { written: number; waiting: number; spilled: number; lost: number };
