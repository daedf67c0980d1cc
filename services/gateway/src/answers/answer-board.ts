/**
 * Where requests wait for their answers. An answer is posted once, under the coordinate of the record that it answers;
 * whoever waits for that coordinate is woken, and whoever comes a moment later finds it among the recent ones. So it
 * does not matter which comes first: the acknowledgement of a request, or the answer to it.
 */
import { HttpProblem } from '@mandate/runtime';
import type { Source } from '@mandate/schemas';
import { ActionChanges } from './action-changes.ts';
import { type Answer, RecentAnswers, sourceKey, sourceOf } from './recent-answers.ts';

export type BoardBounds = {
  /** Answers that may be waited for at one time, by all callers together. */
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

export class AnswerBoard {
  readonly recent: RecentAnswers;
  /** Decisions on actions, and answers of persons. */
  readonly changes = new ActionChanges();
  readonly #maxWaiting: number;
  readonly #waiting = new Map<string, Set<Wake>>();
  readonly #callers = new Set<() => void>();
  #closed = false;
  #taken = 0;

  constructor(bounds: BoardBounds) {
    this.#maxWaiting = bounds.maxWaiting;
    this.recent = new RecentAnswers({ count: bounds.maxRecent, bytes: bounds.maxRecentBytes });
  }

  /** How many answers are waited for, or soon will be. */
  get taken(): number {
    return this.#taken;
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

  /** Throws OVERLOADED when so many more cannot wait. */
  take(count: number): Places {
    if (this.#taken + count > this.#maxWaiting) throw overloaded(this.#maxWaiting);
    this.#taken += count;
    let held = count;
    return {
      answers: (sources, waitMs, gone) => this.#answers(sources, waitMs, gone),
      leave: () => {
        this.#taken -= held;
        held = 0;
      },
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
  ): Promise<readonly (Answer | null)[]> {
    const answers = sources.map((source) => this.recent.of(source));
    let missing = answers.filter((answer) => answer === null).length;
    if (missing === 0 || this.#closed || gone.aborted) return Promise.resolve(answers);
    return new Promise((resolve) => {
      const wakes: [key: string, wake: Wake][] = [];
      const finish = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', finish);
        this.#callers.delete(finish);
        for (const [key, wake] of wakes) this.#unlist(key, wake);
        resolve(answers);
      };
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

function overloaded(maxWaiting: number): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', `${maxWaiting} answers are being waited for already`, {
    remedy:
      'Nothing was published. Try again in a moment, or publish without waitMs and ask for the decision later.',
    headers: { 'retry-after': '1' },
  });
}
