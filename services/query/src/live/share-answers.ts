/**
 * Streams that follow the same rows ask the same questions at almost the same time. For example, all open consoles of a
 * tenant do. These streams share one answer. So ClickHouse has no more work with many streams than with one.
 */
import type { AskAudit } from '@mandate/audit';

/** The answers that are under way or fresh, by question and by its parameters. One of the parameters is the tenant. */
type Answers = Map<object, Map<string, Promise<unknown[]>>>;

/**
 * Returns a function like `ask` that asks ClickHouse once for equal questions. An answer counts for `freshMs` after it
 * came. Callers must not change the rows of an answer, because other callers get the same rows.
 *
 * @param ask must not end because one caller has left: other callers may wait for the answer
 */
export function shareAnswers(ask: AskAudit, freshMs: number): AskAudit {
  const answers: Answers = new Map();
  const shared = (question: object, given: object) => {
    const ofQuestion = answers.get(question) ?? new Map<string, Promise<unknown[]>>();
    answers.set(question, ofQuestion);
    const key = JSON.stringify(given);
    const known = ofQuestion.get(key);
    if (known !== undefined) return known;
    const answer = (ask as (question: object, given: object) => Promise<unknown[]>)(question, given);
    ofQuestion.set(key, answer);
    const forget = () => void ofQuestion.delete(key);
    answer.then(() => setTimeout(forget, freshMs).unref(), forget);
    return answer;
  };
  return shared as unknown as AskAudit;
}
