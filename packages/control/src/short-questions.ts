/** Finds questions to a person that may expire before the person returns from a weekend. */

/** The length of a weekend, from Friday evening until Monday morning. */
export const WEEKEND_MS = 64 * 3_600_000;

type ToolPolicy = {
  readonly requiresConfirmation?: boolean | null | undefined;
  readonly questionMs?: number | null | undefined;
};

/**
 * Returns the names of tools with questions that expire before a weekend is over. Only tools without a duration of
 * their own are returned.
 *
 * @param toolPolicies by the names of tools
 * @param replayMemoryMs how long ids are remembered; a question without a duration of its own expires after this time
 */
export function shortQuestions(
  toolPolicies: Iterable<readonly [tool: string, policy: ToolPolicy]>,
  replayMemoryMs: number,
): string[] {
  if (replayMemoryMs >= WEEKEND_MS) return [];
  return [...toolPolicies].flatMap(([tool, { requiresConfirmation, questionMs }]) =>
    requiresConfirmation === true && (questionMs ?? null) === null ? [tool] : [],
  );
}
