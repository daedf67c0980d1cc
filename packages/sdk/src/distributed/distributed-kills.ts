/**
 * The kill switch of all processes that share a Redis. A kill is in force in Redis before its promise resolves. Each
 * process gets a notice by Pub/Sub and aborts its running calls. After a lost connection, the process reads the flags.
 */
import { randomUUID } from 'node:crypto';
import { type KillBroadcast, type Ledger, withKillBroadcast } from '@mandate/ledger';
import { silentLogger } from '@mandate/runtime';
import { DEFAULTS, type KillTarget } from '@mandate/schemas';
import { Backoff, sleep } from '../backoff.ts';
import { keepRecent } from '../keep-recent.ts';
import { withDescendants } from '../kill.ts';
import type { StateKills } from '../kills-of-subtrees.ts';
import type { Kill, OnError } from '../types.ts';

type Listener = (kill: Kill) => void;

const TENANT = DEFAULTS.tenant;

const KILLED_ELSEWHERE = 'another process killed it';

/**
 * The maximum number of remembered targets. If a forgotten target is still killed, its kill is reported again, which
 * stops no call that may run.
 */
const MOST_REMEMBERED = 10_000;

/** A kill with this revision is always reported to the listeners. */
const UNKNOWN_REVISION = 0;

/** The pauses between two tries to read the flags after an interruption. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export class DistributedKills implements StateKills {
  /** A notice of Redis comes a little after its kill, or not at all during an interruption. */
  readonly mayMissKills = true;
  readonly #ledger: () => Promise<Ledger>;
  readonly #onError: OnError;
  readonly #listeners = new Set<Listener>();
  /** The highest revision that was reported to the listeners, for each target. */
  readonly #reported = new Map<string, number>();
  #announcing: Ledger | null = null;
  /** Ends the reading of flags after the last interruption. */
  #rereading = new AbortController();

  constructor(ledger: () => Promise<Ledger>, onError: OnError) {
    this.#ledger = ledger;
    this.#onError = onError;
  }

  /** Follows the kills of other processes. Earlier kills are in force, but are not reported to listeners. */
  async follow(ledger: Ledger, broadcast: KillBroadcast): Promise<void> {
    this.#rereading.abort();
    for (const { target, revision } of await ledger.killed(TENANT)) this.#remember(nameOf(target), revision);
    this.#announcing = withKillBroadcast(ledger, broadcast, silentLogger());
    let isFirst = true;
    broadcast.subscribe({
      onNotice: ({ target, killed }) => {
        if (killed) this.#readFlags(ledger, target).catch(this.#onError);
      },
      onGap: () => {
        if (!isFirst) void this.#readUntilRead(ledger);
        isFirst = false;
      },
    });
  }

  /** Stops reading the flags. */
  stop(): void {
    this.#rereading.abort();
  }

  /** Another ledger counts its revisions from the start, so the revisions of the old ledger do not apply to it. */
  ledgerChanged(): void {
    this.#reported.clear();
  }

  kill(agentId: string, reason: string): Promise<void> {
    return this.#kill(withDescendants(agentId), reason);
  }

  killAll(reason: string): Promise<void> {
    return this.#kill({ scope: 'tenant', tenant: TENANT }, reason);
  }

  revive(agentId: string): Promise<void> {
    return this.#revive(withDescendants(agentId));
  }

  reviveAll(): Promise<void> {
    return this.#revive({ scope: 'tenant', tenant: TENANT });
  }

  async isKilled(agentId: string, ancestors: readonly string[]): Promise<boolean> {
    return (await (await this.#ledger()).killStatus(TENANT, agentId, { ancestors })).killed !== null;
  }

  onKill(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #kill(target: KillTarget, reason: string): Promise<void> {
    try {
      const ledger = await this.#announced();
      const { revision } = await ledger.kill(target, { id: `kill_${randomUUID()}`, by: 'sdk', reason });
      this.#tell(target, revision, reason);
    } catch (error) {
      // Redis is away. The running calls of this process are aborted nevertheless.
      this.#tell(target, UNKNOWN_REVISION, reason);
      throw error;
    }
  }

  async #revive(target: KillTarget): Promise<void> {
    const ledger = await this.#announced();
    const { killed, revision } = await ledger.flag(target);
    if (killed) await ledger.revive(target, revision + 1, `revive_${randomUUID()}`);
  }

  async #announced(): Promise<Ledger> {
    const ledger = await this.#ledger();
    return this.#announcing ?? ledger;
  }

  /**
   * Reads the flags until a read succeeds. The subscription may work again before the ledger works, and a kill during
   * the interruption left no other notice.
   */
  async #readUntilRead(ledger: Ledger): Promise<void> {
    this.#rereading.abort();
    this.#rereading = new AbortController();
    const { signal } = this.#rereading;
    const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
    while (!signal.aborted) {
      try {
        return await this.#readFlags(ledger, null);
      } catch (error) {
        if (backoff.isFirst) this.#onError(error);
        await sleep(backoff.nextMs(), signal, { isBackground: true });
      }
    }
  }

  /** Tells the listeners about kill flags that they do not know. A notice has no reason, so the flags are read. */
  async #readFlags(ledger: Ledger, noticed: KillTarget | null): Promise<void> {
    try {
      const flags = await ledger.killed(TENANT);
      for (const { target, revision, reason } of flags) this.#tell(target, revision, reason);
      if (noticed === null || flags.some(({ target }) => nameOf(target) === nameOf(noticed))) return;
      // The target was revived before the flags were read. Its kill still ends the calls that were running.
      const { killed, revision } = await ledger.flag(noticed);
      if (!killed) this.#tell(noticed, revision, KILLED_ELSEWHERE);
    } catch (error) {
      if (noticed !== null) this.#tell(noticed, UNKNOWN_REVISION, KILLED_ELSEWHERE);
      throw error;
    }
  }

  #tell(target: KillTarget, revision: number, reason: string): void {
    if ('tenant' in target && target.tenant !== TENANT) return;
    const name = nameOf(target);
    if (revision !== UNKNOWN_REVISION) {
      const reported = this.#reported.get(name) ?? 0;
      this.#remember(name, Math.max(reported, revision));
      if (reported >= revision) return;
    }
    const agentId = 'agentId' in target ? target.agentId : null;
    for (const listener of [...this.#listeners]) listener({ agentId, reason, target });
  }

  #remember(name: string, revision: number): void {
    keepRecent(this.#reported, name, revision, MOST_REMEMBERED);
  }
}

function nameOf(target: KillTarget): string {
  return JSON.stringify([
    target.scope,
    'tenant' in target ? target.tenant : '',
    'agentId' in target ? target.agentId : '',
  ]);
}
