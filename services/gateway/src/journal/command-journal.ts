/**
 * Brings what operators did to the log. The ledger was told first, so the command is in force already; while the log is
 * away its event is kept here and tried again until it is on the log. An event that is known to be there is not appended
 * again, and a command that is repeated appends the event of its first time: a fold of the log meets one version of it
 * only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@mandate/bus';
import { isMandateError, type Logger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';

/** `id` is the same for what needs to be on the log once; `key` is the one on the decisions topic. */
export type CommandEvent = { id: string; key: string; event: DecisionsRecord };

const REMEMBERED = 10_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

export class CommandJournal {
  readonly #bus: Pick<Bus, 'append'>;
  readonly #log: Logger;
  readonly #maxUnlogged: number;
  /** Whether the event of a command is on the log, or will be known to be. Oldest first. */
  readonly #appends = new Map<string, Promise<boolean>>();
  readonly #unlogged = new Map<string, CommandEvent>();
  readonly #stopping = new AbortController();
  #retrying: Promise<void> | null = null;

  constructor(options: { bus: Pick<Bus, 'append'>; log: Logger; maxUnlogged: number }) {
    this.#bus = options.bus;
    this.#log = options.log;
    this.#maxUnlogged = options.maxUnlogged;
  }

  /** How many events wait for the log. */
  get unlogged(): number {
    return this.#unlogged.size;
  }

  /** Whether the event is on the log now. When it is not, it is tried again, as far as there is room to keep it. */
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
   * For a command that takes effect only once its event is on the log: rejects, and keeps nothing, when the log does take
   * it. The caller asks the ledger before whether the command was carried out already.
   */
  async recordFirst({ key, event }: Omit<CommandEvent, 'id'>): Promise<void> {
    await this.#bus.append(TOPICS.decisions, [{ key, value: JSON.stringify(event) }], { urgent: true });
  }

  /** Tries what is left once more, and says what could not be saved. */
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
      // What the log refuses, and does not merely lack the time for, holds up nothing behind it.
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
