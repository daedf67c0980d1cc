/**
 * Writes the events of operators' commands to the log. A command is carried out in the ledger first, so it is already
 * in force. While the log is away, the event waits here and is retried. An event that is on the log is not appended
 * again. A retry or a repeated command appends the event of the first try, so the log has only one version of the
 * event.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@mandate/bus';
import { isMandateError, type Logger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';

/** `id` identifies an event that must be on the log only once. `key` is the record's key on the decisions topic. */
export type CommandEvent = { id: string; key: string; event: DecisionsRecord };

const REMEMBERED = 10_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

export class CommandJournal {
  readonly #bus: Pick<Bus, 'append'>;
  readonly #log: Logger;
  readonly #maxUnlogged: number;
  /** For each command id: whether the event reached the log. The oldest command comes first. */
  readonly #appends = new Map<string, Promise<boolean>>();
  readonly #unlogged = new Map<string, CommandEvent>();
  readonly #stopping = new AbortController();
  #retrying: Promise<void> | null = null;

  constructor(options: { bus: Pick<Bus, 'append'>; log: Logger; maxUnlogged: number }) {
    this.#bus = options.bus;
    this.#log = options.log;
    this.#maxUnlogged = options.maxUnlogged;
  }

  /** Returns how many events wait for the log. */
  get unlogged(): number {
    return this.#unlogged.size;
  }

  /**
   * Resolves to true if the event is on the log. Otherwise the event is retried later, but not if too many events
   * already wait.
   */
  async record(command: CommandEvent): Promise<boolean> {
    for (;;) {
      const known = this.#appends.get(command.id);
      if (known === undefined) break;
      if (await known) return true;
      if (this.#appends.get(command.id) === known) this.#appends.delete(command.id);
    }
    const append = this.#append(this.#unlogged.get(command.id) ?? command);
    this.#remember(command.id, append);
    return append;
  }

  /**
   * Records a command that takes effect only after its event is on the log. If the append fails, rejects and keeps
   * nothing. The caller must first ask the ledger whether the command was already carried out.
   */
  async recordFirst({ key, event }: Omit<CommandEvent, 'id'>): Promise<void> {
    await this.#bus.append(TOPICS.decisions, [{ key, value: JSON.stringify(event) }], { urgent: true });
  }

  /** Tries the waiting events once more, and logs the events that still fail. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#retrying;
    for (const command of [...this.#unlogged.values()]) await this.record(command);
    if (this.#unlogged.size === 0) return;
    const ids = [...this.#unlogged.keys()];
    this.#log.error(
      { ids },
      'stopping with commands that never reached the log; a rebuilt ledger will not know them',
    );
  }

  #remember(id: string, append: Promise<boolean>): void {
    this.#appends.set(id, append);
    for (const oldest of this.#appends.keys()) {
      if (this.#appends.size <= REMEMBERED) break;
      this.#appends.delete(oldest);
    }
  }

  async #append(command: CommandEvent): Promise<boolean> {
    const { id, key, event } = command;
    try {
      await this.#bus.append(TOPICS.decisions, [{ key, value: JSON.stringify(event) }], { urgent: true });
    } catch (error) {
      const kept = this.#unlogged.has(id) || this.#unlogged.size < this.#maxUnlogged;
      // If a retry cannot help, the event moves to the end of the queue. So it does not delay the events after it.
      if (!isMandateError(error) || !error.retryable) this.#unlogged.delete(id);
      if (kept) this.#unlogged.set(id, command);
      this.#log.error({ err: error, id, event: event.event, kept }, 'in force, not yet on the log');
      if (!this.#stopping.signal.aborted) this.#retrying ??= this.#retry();
      return false;
    }
    if (this.#unlogged.delete(id)) this.#log.info({ id, event: event.event }, 'on the log now');
    return true;
  }

  async #retry(): Promise<void> {
    const { signal } = this.#stopping;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      const [next] = this.#unlogged.values();
      if (next === undefined || signal.aborted) break;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted && (await this.record(next))) waitMs = FIRST_WAIT_MS / 2;
    }
    this.#retrying = null;
  }
}
