/**
 * Streams that follow the same rows ask the same questions at almost the same time. For example, all open consoles of a
 * tenant do. These streams share one answer. So ClickHouse has no more work with many streams than with one.
 */
import type { AskAudit } from '@mandate/audit';

/** Returns the result for this key that is under way or fresh. Starts the work if there is none. */
export type Share<Result> = (key: string, start: () => Promise<Result>) => Promise<Result>;

/** A result counts for `freshMs` after it came. A failure reaches only callers who wait for it. */
export function shareResults<Result>(freshMs: number): Share<Result> {
  const results = new Map<string, Promise<Result>>();
  return (key, start) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = start();
    results.set(key, result);
    const forget = () => void results.delete(key);
    result.then(() => setTimeout(forget, freshMs).unref(), forget);
    return result;
  };
}

/**
 * Returns a function like `ask` that asks ClickHouse once for equal questions. One of the parameters of a question is
 * the tenant. Callers must not change the rows of an answer, because other callers get the same rows.
 *
 * @param ask must not end because one caller has left: other callers may wait for the answer
 */
export function shareAnswers(ask: AskAudit, freshMs: number): AskAudit {
  const ofQuestions = new Map<object, Share<unknown[]>>();
  const shared = (question: object, given: object) => {
    const share = ofQuestions.get(question) ?? shareResults<unknown[]>(freshMs);
    ofQuestions.set(question, share);
    return share(JSON.stringify(given), () =>
      (ask as (question: object, given: object) => Promise<unknown[]>)(question, given),
    );
  };
  return shared as unknown as AskAudit;
}
