/** The selection of the builder for one message: the manifest, and the limits of its parts. */
import { CONTEXT_ITEMS, CONTEXT_QUESTION_TYPES, type ContextBuild } from '@mandate/schemas';

type Recorded = NonNullable<ContextBuild['steps']['manifest_builder']['output']>;

/**
 * `focus`: the subject of the message. `context_early`: facts that the main model reads early. `context_reinforce`:
 * facts that it reads directly before the message. `answer_guidance`: suggestions for the answer, which are not rules.
 */
export type ContextManifest = Recorded;
export type QuestionType = ContextManifest['question_type'];

export const QUESTION_TYPES = CONTEXT_QUESTION_TYPES;

/** The maximum number of items of each list. */
export const MOST_ITEMS = CONTEXT_ITEMS;
export type ListName = keyof typeof MOST_ITEMS;

/** The maximum number of code points of the focus and of each item. */
export const MOST_CODE_POINTS = 300;

export function isQuestionType(value: unknown): value is QuestionType {
  return QUESTION_TYPES.some((type) => type === value);
}
