/**
 * The audit of an SDK that decides: every decision and every settlement becomes a record, and goes to each output.
 *
 * Recording never delays a call and never makes it fail. Each output has a queue of its own (audit/audit-queue.ts), so
 * a slow output delays no other. If the output cannot accept a record now, the record waits in memory, or in a file if
 * the memory is full. If there is no room in either, the record is lost. Lost records are counted and reported.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditCounts, AuditOutput, AuditRecord, AuditTarget } from './audit/audit-output.ts';
import { AuditQueue, type QueueBounds } from './audit/audit-queue.ts';
import { misused } from './errors.ts';
import type { OnError } from './types.ts';

export type AuditOptions = QueueBounds & {
  outputs: readonly AuditTarget[];
  /**
   * A folder for records that an output does not accept in time. Each output has a file there. The records are sent
   * again after a restart. Without a folder, records that do not fit into memory are lost. Each process needs its own
   * folder.
   */
  spillFolder?: string;
};

/** @throws MandateError SDK_MISUSED; ALREADY_HELD if another audit uses the spill folder */
export function openAudit(given: readonly AuditTarget[] | AuditOptions = [], onError: OnError): Audit {
  const options = isList(given) ? { outputs: given } : given;
  const outputs: unknown = options?.outputs;
  if (!Array.isArray(outputs) || !outputs.every(isTarget))
    throw misused('`audit` is no list of outputs.', "Use `audit: [fileOutput('audit.jsonl')]`, for example.");
  return new Audit(options, onError);
}

/**
 * Does the same as `Array.isArray`, but for a list with a `readonly` type too: if the result is false, TypeScript knows
 * that `given` is not a list.
 */
function isList(given: readonly AuditTarget[] | AuditOptions): given is readonly AuditTarget[] {
  return Array.isArray(given);
}

function isTarget(one: unknown): boolean {
  return typeof one === 'function' || typeof (one as AuditOutput | null)?.write === 'function';
}

const NO_RECORDS: AuditCounts = { written: 0, waiting: 0, spilled: 0, lost: 0 };

export class Audit {
  readonly #queues: readonly AuditQueue[];
  readonly #onError: OnError;

  /** @throws MandateError ALREADY_HELD if another process uses the spill folder */
  constructor({ outputs, spillFolder, ...bounds }: AuditOptions, onError: OnError) {
    this.#onError = onError;
    if (spillFolder !== undefined) mkdirSync(spillFolder, { recursive: true, mode: 0o700 });
    const taken = new Set<string>();
    this.#queues = outputs.map((target) => {
      const output = typeof target === 'function' ? customOutput(target) : target;
      const name = freeName(output.name, taken);
      const spillPath = spillFolder === undefined ? null : join(spillFolder, `${name}.jsonl`);
      return new AuditQueue({ output, spillPath, onError, ...bounds });
    });
  }

  /** Sends the record to every output, in the background. Never throws. */
  record(record: AuditRecord): void {
    if (this.#queues.length === 0) return;
    try {
      const line = JSON.stringify(record);
      for (const queue of this.#queues) queue.add(record, line);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** The sums over all outputs. */
  counts(): AuditCounts {
    return this.#queues.map((queue) => queue.counts()).reduce(sum, NO_RECORDS);
  }

  /** Waits until every output has accepted all earlier records, at most `timeoutMs`. */
  async flush(options?: { timeoutMs?: number }): Promise<AuditCounts> {
    await Promise.all(this.#queues.map((queue) => queue.flush(options)));
    return this.counts();
  }

  /** Flushes, and then ends. Records that an output has not accepted go to its spill file. */
  async close(options?: { timeoutMs?: number }): Promise<AuditCounts> {
    await Promise.all(this.#queues.map((queue) => queue.close(options)));
    return this.counts();
  }
}

function customOutput(take: (records: readonly AuditRecord[]) => unknown): AuditOutput {
  return { name: 'custom', write: async (records) => void (await take(records)) };
}

/** Two outputs may have the same name, but not the same file. */
function freeName(name: string, taken: Set<string>): string {
  const safe = name.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
  let free = safe;
  for (let number = 2; taken.has(free); number += 1) free = `${safe}-${number}`;
  taken.add(free);
  return free;
}

function sum(one: AuditCounts, other: AuditCounts): AuditCounts {
  return {
    written: one.written + other.written,
    waiting: one.waiting + other.waiting,
    spilled: one.spilled + other.spilled,
    lost: one.lost + other.lost,
  };
}
