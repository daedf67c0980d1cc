/**
 * Reads the decisions topic of a plane from its end. Passes each decision to the call that waits for it, and reports
 * each kill. A process has one reader for all its calls.
 *
 * A call publishes its action only after the reader has its start position. If an epoch makes the decision void, the
 * epoch begins after this position. So the reader sees the epoch.
 */
import type { Bus, LogRecord, Reader } from '@mandate/bus';
import {
  type Action,
  agentKey,
  ancestorsIn,
  type Decision,
  type EpochInForce,
  epochAfter,
  holdsIn,
  type KillTarget,
  readDecisionsRecord,
  TOPICS,
} from '@mandate/schemas';
import { keepRecent } from '../keep-recent.ts';

/** A kill as the log records it. */
export type LoggedKill = { target: KillTarget; revision: number; reason: string };

/** Records that matter only while a call of the same agent waits. */
const OF_CALLS: ReadonlySet<string> = new Set(['mandate.action.decided.v1', 'mandate.action.settled.v1']);

/** The maximum number of agents with remembered ancestors. */
const MOST_AGENTS = 10_000;

type Waiting = { action: Action; resolve(decision: Decision): void; reject(error: unknown): void };

export class FollowedDecisions {
  readonly #tenant: string;
  readonly #onKill: (kill: LoggedKill) => void;
  /** The waiting calls, by the time of their request. No two requests have the same time. */
  readonly #waiting = new Map<string, Waiting>();
  /** The number of waiting calls for each record key. */
  readonly #keys = new Map<string, number>();
  readonly #epochs = new Map<number, EpochInForce>();
  readonly #ancestors = new Map<string, readonly string[]>();
  readonly #ended = Promise.withResolvers<never>();
  #reader: Reader | null = null;
  /** Why the reader has ended. */
  #failure: Error | null = null;

  constructor(tenant: string, onKill: (kill: LoggedKill) => void) {
    this.#tenant = tenant;
    this.#onKill = onKill;
    this.#ended.promise.catch(() => {});
  }

  /** Resolves once the reader has its start position. */
  async start(bus: Bus): Promise<void> {
    const reader = await bus.read({
      topics: [TOPICS.decisions],
      from: 'latest',
      onRecords: (records) => {
        for (const record of records) this.#take(record);
      },
    });
    this.#reader = reader;
    reader.finished.then(
      () => this.#end(new Error('the reader of decisions was stopped')),
      (error) => this.#end(error),
    );
  }

  /** Rejects when the reader ends. */
  get ended(): Promise<never> {
    return this.#ended.promise;
  }

  async stop(): Promise<void> {
    await this.#reader?.stop();
  }

  /**
   * Waits for the first decision about this request. Call this function before the action is published, and `forget`
   * afterwards.
   */
  decisionOf(action: Action): { decision: Promise<Decision>; forget: () => void } {
    const ask = action.requestedAt ?? '';
    const key = agentKey(this.#tenant, action.agentId);
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    // The reader may end before the caller waits for the promise.
    promise.catch(() => {});
    if (this.#failure !== null) reject(this.#failure);
    this.#waiting.set(ask, { action, resolve, reject });
    this.#keys.set(key, (this.#keys.get(key) ?? 0) + 1);
    const forget = () => {
      if (!this.#waiting.delete(ask)) return;
      const left = (this.#keys.get(key) ?? 1) - 1;
      if (left === 0) this.#keys.delete(key);
      else this.#keys.set(key, left);
    };
    return { decision: promise, forget };
  }

  /** Returns the descendants of an agent that this process knows from decisions. */
  descendantsOf(agentId: string): string[] {
    return [...this.#ancestors].filter(([, ancestors]) => ancestors.includes(agentId)).map(([id]) => id);
  }

  /**
   * Rejects all calls that wait. Each call has its own promise. A race with one promise that lives as long as the
   * reader would keep every decision in memory.
   */
  #end(error: Error): void {
    this.#failure = error;
    this.#ended.reject(error);
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  /** Throws if a record cannot be read, because it could make the next decision void. Then the reader ends. */
  #take({ position: { partition }, key, value, headers }: LogRecord): void {
    const isOfCall = OF_CALLS.has(headers.ce_type ?? '');
    if (isOfCall && key !== null && !this.#keys.has(key)) return;
    const record = readDecisionsRecord(value);
    if (record.event === 'ledger.epoch') {
      this.#epochs.set(partition, epochAfter(this.#epochs.get(partition) ?? null, record.epoch));
    } else if (record.event === 'agent.killed') {
      const { target, revision, reason } = record.kill;
      if (target.scope === 'all' || target.tenant === this.#tenant)
        this.#onKill({ target, revision, reason });
    } else if (record.event === 'action.decided') this.#decided(record.decision, partition);
  }

  #decided(decision: Decision, partition: number): void {
    const { actionId, agentId, attempt, tenant, requestedAt } = decision;
    if (tenant !== this.#tenant || !holdsIn(this.#epochs.get(partition) ?? null, decision.ledgerEpoch))
      return;
    const waiting = this.#waiting.get(requestedAt ?? '');
    if (waiting === undefined) return;
    const { action } = waiting;
    // The process may have written its request twice. The first answer is the decision. The second answer is about a
    // duplicate.
    if (action.id !== actionId || action.agentId !== agentId || (action.attempt ?? 1) !== attempt) return;
    this.#remember(agentId, ancestorsIn(decision));
    waiting.resolve(decision);
  }

  #remember(agentId: string, ancestors: readonly string[]): void {
    if (ancestors.length === 0) this.#ancestors.delete(agentId);
    else keepRecent(this.#ancestors, agentId, ancestors, MOST_AGENTS);
  }
}
