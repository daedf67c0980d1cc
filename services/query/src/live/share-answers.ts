/**
 * Streams that follow the same rows ask the same questions at almost the same time: every open console does. They share
 * one answer, so that many listeners cost ClickHouse as much as one.
 */
import type { AskAudit } from '@mandate/audit';

/** The answers that are under way or fresh, by question and by its parameters. The tenant is one of them. */
type Answers = Map<object, Map<string, Promise<unknown[]>>>;

/**
 * Returns an `ask` that gives an answer to everybody who asks the same question within `freshMs`. Nobody may change the
 * rows of an answer.
 *
 * @param ask must not depend on a single caller, because others may wait for its answer
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
