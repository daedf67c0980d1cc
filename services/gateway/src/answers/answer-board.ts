/**
 * Where requests wait for their answers. An answer is posted once, under the position of the record that it answers; all
 * callers that wait for that position are woken, and a caller that comes a moment later finds it among the recent ones.
 * So it does not matter which comes first: the acknowledgement of a request, or the answer to it.
 */

import type { Source } from '@mandate/schemas';
import { FairRoom, type Held, type Holder, HttpProblem } from '@mandate/server';
import { ActionChanges } from './action-changes.ts';
import { type Answer, RecentAnswers, sourceKey, sourceOf } from './recent-answers.ts';

export type BoardBounds = {
  /** How many answers all callers together may wait for. A tenant may take half of them, and a key a quarter. */
  maxWaiting: number;
  maxRecent: number;
  maxRecentBytes: number;
};

/** Places taken beforehand, so that nothing is published that could not be waited for. */
export type Places = {
  /** The answers in the order of `sources`; null for each that did not come in time, or before `gone` aborted. */
  answers(sources: readonly Source[], waitMs: number, gone: AbortSignal): Promise<readonly (Answer | null)[]>;
  /** Gives the places back; call it however the request ends. */
  leave(): void;
};

type Wake = (answer: Answer) => void;

/** `finish` answers with what is known by then. `isOver` is true once others needed the places. */
type Place = { finish: () => void; isOver: boolean };

export class AnswerBoard {
  readonly recent: RecentAnswers;
  /** Decisions on actions, and answers of persons. */
  readonly changes = new ActionChanges();
  readonly #room: FairRoom;
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #callers = new Set<() => void>();
  #closed = false;

  constructor(bounds: BoardBounds) {
    const most = bounds.maxWaiting;
    this.#room = new FairRoom({ most, ofATenant: partOf(most, 2), ofAKey: partOf(most, 4) });
    this.recent = new RecentAnswers({ count: bounds.maxRecent, bytes: bounds.maxRecentBytes });
  }

  /** How many answers are waited for, or soon will be. */
  get taken(): number {
    return this.#room.amount;
  }

  /** @param bytes the size of its record on the log */
  post(answer: Answer, bytes: number): void {
    this.recent.add(answer, bytes);
    const key = sourceKey(sourceOf(answer));
    const wakes = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const wake of wakes ?? []) wake(answer);
    if (answer.event === 'action.decided')
      this.changes.tell(answer.decision.tenant, answer.decision.actionId);
  }

  /**
   * Takes places for `count` answers. When all are taken, the largest holder's oldest call is answered early, with what is
   * known by then.
   *
   * @param onCut is called when others needed the places
   * @throws HttpProblem 503 OVERLOADED if this holder cannot wait for so many more
   */
  take(count: number, holder: Holder, onCut = () => {}): Places {
    const place: Place = { finish: () => {}, isOver: false };
    const cut = () => {
      place.isOver = true;
      place.finish();
      onCut();
    };
    const held: Held = { holder, state: 'busy', cut };
    if (count > 0 && !this.#room.take(held, count)) throw overloaded(this.#room.amountOf(holder.tenant));
    return {
      answers: (sources, waitMs, gone) => this.#answers(sources, waitMs, gone, place),
      leave: () => this.#room.leave(held),
    };
  }

  /** Everybody who waits is answered with what there is, now and from now on. */
  close(): void {
    this.#closed = true;
    this.changes.close();
    for (const finish of [...this.#callers]) finish();
  }

  #answers(
    sources: readonly Source[],
    waitMs: number,
    gone: AbortSignal,
    place: Place,
  ): Promise<readonly (Answer | null)[]> {
    const answers = sources.map((source) => this.recent.of(source));
    let missing = answers.filter((answer) => answer === null).length;
    if (missing === 0 || this.#closed || gone.aborted || place.isOver) return Promise.resolve(answers);
    return new Promise((resolve) => {
      const wakes: [key: string, wake: Wake][] = [];
      const finish = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', finish);
        this.#callers.delete(finish);
        for (const [key, wake] of wakes) this.#unlist(key, wake);
        resolve(answers);
      };
      place.finish = finish;
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

/** At least one. */
function partOf(most: number, parts: number): number {
  return Math.max(1, Math.floor(most / parts));
}

function overloaded(waiting: number): HttpProblem {
  return new HttpProblem(
    503,
    'OVERLOADED',
    `${waiting} answers are being waited for already in your tenant`,
    {
      remedy:
        'Nothing was published. Try again in a moment, or publish without waitMs and ask for the decision later.',
      headers: { 'retry-after': '1' },
    },
  );
}
