/**
 * The kill switch of a plane. While there are listeners, a stream of the gateway announces each kill, so that running
 * calls are aborted. A killed agent is blocked even without the stream, because the plane allows it nothing.
 */

import type { KillTarget } from '@mandate/schemas';
import { Backoff, sleep } from '../backoff.ts';
import { inTime } from '../bounded-wait.ts';
import type { Kills } from '../decision-point.ts';
import { keepRecent } from '../keep-recent.ts';
import type { Kill, OnError } from '../types.ts';
import {
  fieldsOf,
  type PlaneConnection,
  type PlaneRequest,
  pathOfAgent,
  refusalOf,
} from './plane-connection.ts';
import { readEvents } from './read-events.ts';

type Listener = (kill: Kill) => void;
type Flag = { target: KillTarget; revision: number; reason?: string };

/** How long the stream stays open without a listener. An open stream keeps the process alive. */
const LINGER_MS = 500;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const OPENING_MS = 10_000;
/** The gateway repeats its flags every 30 seconds. */
const SILENT_MS = 75_000;
/** How long the abort of a running call waits for the reason of its kill. */
const REASON_MS = 500;
const MOST_REMEMBERED = 10_000;
const UNKNOWN_REASON = 'an operator of the plane stopped it.';

export class PlaneKills implements Kills {
  /** Passive listeners do not open the stream. */
  readonly mayMissKills = true;
  readonly #connection: PlaneConnection;
  readonly #onError: OnError;
  /** The listeners, each with the agent of its running call. */
  readonly #listeners = new Map<Listener, string | undefined>();
  /** How many listeners are not passive. While there are any, the stream is open. */
  #active = 0;
  /** The newest known revision of each switch, so that no kill is announced twice or late. */
  readonly #known = new Map<string, number>();
  #stream: AbortController | null = null;
  #lingering: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: PlaneConnection, onError: OnError) {
    this.#connection = connection;
    this.#onError = onError;
  }

  /** A sub-agent acts for its parent, so the sub-agent is stopped too. */
  async kill(agentId: string, reason: string): Promise<void> {
    const path = pathOfAgent(agentId, 'kill');
    await this.#kill(path, { reason, subtree: true }, { agentId, reason });
  }

  /** Stops every agent of the tenant of the key. */
  async killAll(reason: string): Promise<void> {
    await this.#kill('/v1/kill', { scope: 'tenant', reason }, { agentId: null, reason });
  }

  /** Ends the kill of the agent, and the kill of the agent and its descendants. */
  async revive(agentId: string): Promise<boolean> {
    const path = pathOfAgent(agentId, 'revive');
    await this.#revive(path, {});
    await this.#revive(path, { subtree: true });
    return !(await this.isKilled(agentId));
  }

  async reviveAll(): Promise<void> {
    await this.#revive('/v1/revive', { scope: 'tenant' });
  }

  async isKilled(agentId: string): Promise<boolean> {
    return (await this.#killOf(agentId, this.#connection.timeoutMs)) !== null;
  }

  onKill(
    listener: Listener,
    { isPassive = false, agentId }: { isPassive?: boolean; agentId?: string } = {},
  ): () => void {
    this.#listeners.set(listener, agentId);
    if (isPassive) return () => void this.#listeners.delete(listener);
    this.#active += 1;
    clearTimeout(this.#lingering);
    if (this.#stream === null && !this.#connection.closed.aborted) void this.#follow();
    return () => {
      if (this.#listeners.delete(listener)) this.#active -= 1;
      if (this.#active > 0 || this.#stream === null) return;
      clearTimeout(this.#lingering);
      this.#lingering = setTimeout(() => this.close(), LINGER_MS);
    };
  }

  close(): void {
    this.#stream?.abort();
    this.#stream = null;
    clearTimeout(this.#lingering);
  }

  async #kill(path: string, body: object, kill: Omit<Kill, 'target'>): Promise<void> {
    const { agentId } = kill;
    try {
      const flag = flagOf(await this.#command(path, body));
      if (this.#isNew(flag)) void this.#announce({ ...flag, reason: kill.reason });
    } catch (error) {
      // Running calls of this process are aborted even if the plane does not carry out the kill.
      const tenant = '';
      this.#tell([...this.#listeners.keys()], {
        ...kill,
        target: agentId === null ? { scope: 'all' } : { scope: 'agent', tenant, agentId },
      });
      throw error;
    }
  }

  async #revive(path: string, body: object): Promise<void> {
    this.#isNew(flagOf(await this.#command(path, body)));
  }

  async #command(path: string, body: object): Promise<unknown> {
    const idempotencyKey = `sdk-${crypto.randomUUID()}`;
    return this.#answer({ method: 'POST', path, body, idempotencyKey }, this.#connection.timeoutMs);
  }

  async #killOf(agentId: string, timeoutMs: number): Promise<{ reason: string } | null> {
    const path = pathOfAgent(agentId, 'kill-status');
    const { killed } = fieldsOf(await this.#answer({ method: 'GET', path }, timeoutMs));
    if (killed === null) return null;
    return { reason: String(fieldsOf(killed).reason ?? UNKNOWN_REASON) };
  }

  async #answer(request: PlaneRequest, timeoutMs: number): Promise<unknown> {
    const answer = await this.#connection.request(() => request, performance.now() + timeoutMs);
    if (answer.status !== 200) throw refusalOf(this.#connection.url, answer);
    return answer.body;
  }

  /** Follows the stream until there is no listener, and connects again whenever the stream ends. */
  async #follow(): Promise<void> {
    const stop = new AbortController();
    this.#stream = stop;
    const backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    while (!stop.signal.aborted && !this.#connection.closed.aborted) {
      const attempt = new AbortController();
      try {
        const signal = AbortSignal.any([stop.signal, attempt.signal]);
        const opening = this.#connection.openStream('/v1/kills/stream', signal);
        const response = await inTime(OPENING_MS, opening, () => new Error('the stream did not open'));
        if (response.status !== 200 || response.body === null)
          throw await refused(this.#connection.url, response);
        for await (const { event, data } of readEvents(response.body, SILENT_MS)) {
          backoff.reset();
          this.#learn(event, fieldsOf(data));
        }
      } catch (error) {
        if (stop.signal.aborted || this.#connection.closed.aborted) return;
        // A lost stream is not reported, because the decisions fail too while the plane is away. A refusal is reported.
        if (fieldsOf(error).retryable === false && backoff.isFirst) this.#onError(error);
      } finally {
        attempt.abort();
      }
      await sleep(backoff.nextMs(), stop.signal, { isBackground: true });
    }
  }

  #learn(event: string, data: Readonly<Record<string, unknown>>): void {
    if (event === 'flags' && Array.isArray(data.killed)) {
      for (const flag of data.killed) if (this.#isNew(flag)) void this.#announce(flag);
    }
    if (event !== 'killed' && event !== 'revived') return;
    const flag = flagOf(data);
    if (this.#isNew(flag) && event === 'killed') void this.#announce(flag);
  }

  /** Remembers the revision of a switch. Returns whether it is newer than the known revision. */
  #isNew({ target, revision }: Flag): boolean {
    const key = JSON.stringify([target.scope, 'agentId' in target ? target.agentId : null]);
    if (revision <= (this.#known.get(key) ?? 0)) return false;
    keepRecent(this.#known, key, revision, MOST_REMEMBERED);
    return true;
  }

  /** Notifies only the listeners of this moment. A call that is allowed after a later revive is not stopped. */
  async #announce({ target, reason }: Flag): Promise<void> {
    const listeners = [...this.#listeners.keys()];
    const agentId = 'agentId' in target ? target.agentId : null;
    const asked = agentId ?? [...this.#listeners.values()].find((one) => one !== undefined);
    const known = reason ?? (asked === undefined ? UNKNOWN_REASON : await this.#reasonOf(asked));
    this.#tell(listeners, { agentId, reason: known, target });
  }

  async #reasonOf(agentId: string): Promise<string> {
    const killed = await this.#killOf(agentId, REASON_MS).catch(() => null);
    return killed?.reason ?? UNKNOWN_REASON;
  }

  #tell(listeners: readonly Listener[], kill: Kill): void {
    for (const listener of listeners) listener(kill);
  }
}

function flagOf(json: unknown): Flag {
  const { target, revision } = fieldsOf(json);
  return { target: target as KillTarget, revision: Number(revision) };
}

async function refused(url: string, response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => undefined);
  const isPassing = response.status >= 500 || response.status === 429;
  const error = refusalOf(url, { status: response.status, body, retryAfterMs: null, tries: 1 });
  return isPassing ? new Error(error.message) : error;
}
