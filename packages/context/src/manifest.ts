/** What the builder picks for one message: the manifest, and the limits of its parts. */

export const QUESTION_TYPES = [
  'relationship_identity',
  'emotional_support',
  'factual_profile',
  'presence_check',
  'task_request',
  'casual',
  'general',
] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

export type ContextManifest = {
  /** What the message is about, in a few words. */
  focus: string;
  question_type: QuestionType;
  /** Facts that the main model reads early. */
  context_early: readonly string[];
  /** Facts that the main model reads directly before the message. */
  context_reinforce: readonly string[];
  /** Suggestions for the answer. They are not rules. */
  answer_guidance: readonly string[];
};

/** The most items of each list. */
export const MOST_ITEMS = { context_early: 3, context_reinforce: 5, answer_guidance: 5 } as const;
export type ListName = keyof typeof MOST_ITEMS;

/** The most code points of the focus and of each item. */
export const MOST_CODE_POINTS = 300;

export function isQuestionType(value: unknown): value is QuestionType {
  return QUESTION_TYPES.some((type) => type === value);
}
