/** Questions to a person that end before a person who is away for a weekend sees them. */

/** From Friday evening until Monday morning. */
export const WEEKEND_MS = 64 * 3_600_000;

type ToolPolicy = {
  readonly requiresConfirmation?: boolean | undefined;
  readonly questionMs?: number | null | undefined;
};

/**
 * Names of tools that ask a person for less than a weekend, where no policy says for how long.
 *
 * @param toolPolicies by the names of tools
 * @param replayMemoryMs how long ids are remembered: a question lives as long if no policy says more
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
