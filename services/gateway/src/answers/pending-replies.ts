/**
 * The requests that wait for answers. Each answer belongs to the log position of its request, and wakes all callers that
 * wait for this position. Later callers find it among the recent answers. So an answer may come before or after the
 * acknowledgement of its request.
 */

import type { LogPosition } from '@mandate/schemas';
import { FairRoom, type Held, type Holder, HttpProblem } from '@mandate/server';
import { ActionChanges } from './action-changes.ts';
import { type Answer, RecentAnswers, sourceKey, sourceOf } from './recent-answers.ts';

export type PendingRepliesBounds = {
  /**
   * How many answers all callers together may wait for. A tenant may wait for half of them, and a key for a quarter.
   */
  maxWaiting: number;
  maxRecent: number;
  maxRecentBytes: number;
};

/** The places that a request reserves before it publishes: one place for the answer to each record. */
export type ReservedReplies = {
  /**
   * Resolves to the answers in the order of `sources`. Null for an answer that did not come in time, or before `gone`
   * aborted.
   */
  answers(
    sources: readonly LogPosition[],
    waitMs: number,
    gone: AbortSignal,
  ): Promise<readonly (Answer | null)[]>;
  /** Frees the reserved places. A request must call this however it ends. */
  release(): void;
};

type Wake = (answer: Answer) => void;

/**
 * A caller that waits. `finish` answers with the results so far. `isOver` is true after other callers needed the
 * places.
 */
type Waiter = { finish: () => void; isOver: boolean };

export class PendingReplies {
  readonly recent: RecentAnswers;
  /** Tells listeners that an action has changed: it was decided, or a person has answered. */
  readonly changes = new ActionChanges();
  readonly #room: FairRoom;
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #callers = new Set<() => void>();
  #closed = false;

  constructor(bounds: PendingRepliesBounds) {
    const most = bounds.maxWaiting;
    this.#room = new FairRoom({ most, ofATenant: partOf(most, 2), ofAKey: partOf(most, 4) });
    this.recent = new RecentAnswers({ count: bounds.maxRecent, bytes: bounds.maxRecentBytes });
  }

  /** Returns how many places are reserved, whether a caller waits there or not. */
  get reserved(): number {
    return this.#room.amount;
  }

  /** @param bytes the size of the answer's record on the log */
  resolve(answer: Answer, bytes: number): void {
    this.recent.add(answer, bytes);
    const key = sourceKey(sourceOf(answer));
    const wakes = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const wake of wakes ?? []) wake(answer);
    if (answer.event === 'action.decided')
      this.changes.tell(answer.decision.tenant, answer.decision.actionId);
  }

  /**
   * Reserves places for `count` answers. If too few places are free, the holder with the most places must give places
   * up: its oldest call is answered early, with the results so far.
   *
   * @param onCut called when this call must give up its places
   * @throws HttpProblem 503 OVERLOADED if this holder may not reserve so many places
   */
  reserve(count: number, holder: Holder, onCut = () => {}): ReservedReplies {
    const waiter: Waiter = { finish: () => {}, isOver: false };
    const cut = () => {
      waiter.isOver = true;
      waiter.finish();
      onCut();
    };
    const held: Held = { holder, state: 'busy', cut };
    if (count > 0 && !this.#room.take(held, count)) throw overloaded(this.#room.amountOf(holder.tenant));
    return {
      answers: (sources, waitMs, gone) => this.#answers(sources, waitMs, gone, waiter),
      release: () => this.#room.leave(held),
    };
  }

  /** Ends all waits now, each with the results so far. Later calls do not wait at all. */
  close(): void {
    this.#closed = true;
    this.changes.close();
    for (const finish of [...this.#callers]) finish();
  }

  #answers(
    sources: readonly LogPosition[],
    waitMs: number,
    gone: AbortSignal,
    waiter: Waiter,
  ): Promise<readonly (Answer | null)[]> {
    const answers = sources.map((source) => this.recent.of(source));
    let missing = answers.filter((answer) => answer === null).length;
    if (missing === 0 || this.#closed || gone.aborted || waiter.isOver) return Promise.resolve(answers);
    return new Promise((resolve) => {
      const wakes: [key: string, wake: Wake][] = [];
      const finish = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', finish);
        this.#callers.delete(finish);
        for (const [key, wake] of wakes) this.#unlist(key, wake);
        resolve(answers);
      };
      waiter.finish = finish;
      const timer = setTimeout(finish, waitMs);
      gone.addEventListener('abort', finish);
      this.#callers.add(finish);
      for (const [index, source] of sources.entries()) {
        if (answers[index] !== null) continue;
        const wake: Wake = (answer) => {
          answers[index] = answer;
          missing -= 1;
          if (missing === 0) finish();
        };
        wakes.push([sourceKey(source), wake]);
        this.#list(sourceKey(source), wake);
      }
    });
  }

  #list(key: string, wake: Wake): void {
    const wakes = this.#waiting.get(key);
    if (wakes === undefined) this.#waiting.set(key, new Set([wake]));
    else wakes.add(wake);
  }

  #unlist(key: string, wake: Wake): void {
    const wakes = this.#waiting.get(key);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#waiting.delete(key);
  }
}

/** Returns a share of the total, at least one. */
function partOf(most: number, parts: number): number {
  return Math.max(1, Math.floor(most / parts));
}

function overloaded(waiting: number): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', `your tenant already waits for ${waiting} answers`, {
    remedy:
      'Nothing was published. Try again in a moment, or publish without waitMs and ask for the decision later.',
    headers: { 'retry-after': '1' },
  });
}
