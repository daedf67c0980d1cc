/**
 * The names that Mandate reserves for its own counters. All other budgets and tools get their names from mandates.
 */
export const BUDGET_SCOPES = ['agent', 'principal', 'mandate', 'tenant'] as const;

/**
 * The units of counters. A counter of tokens exists only if a policy limits tokens. All other counters of budgets are
 * in micro-dollars.
 */
export const COUNTER_UNITS = ['tokens'] as const;

/**
 * The counter of an agent's lifetime spending. It is always counted, and `maxCostTotal` of a mandate limits it. In the
 * unit tokens, the counter of the tokens that `maxTokensTotal` limits.
 */
export const TOTAL_BUDGET = 'total';

/**
 * The counter of an agent's releases: the amounts that its own reports gave back, minus the releases that later
 * successes allow in addition. It counts over the agent's life, and `maxReleases` limits it.
 */
export const RELEASED_BUDGET = 'released';

/** Who shares the counter of a rate: each agent, or each person, whichever agent calls. */
export const RATE_SCOPES = ['agent', 'principal'] as const;

/**
 * Returns the owner of a counter that belongs to a person, in place of the id of an agent. It begins with a blank, so
 * it is the id of no agent. Calls without a person share one counter.
 */
export function personCounter(principalId: string | undefined): string {
  return ` ${principalId ?? ''}`;
}

/**
 * Returns the person of a turn as one text: the id and the role, with a blank between them. No id contains a blank.
 * Turns without a person are equal to each other.
 */
export function personOfTurn(principal: { id: string; role?: string | undefined } | undefined): string {
  return `${principal?.id ?? ''} ${principal?.role ?? ''}`;
}

/** The `tool` of the rate that counts calls without an outcome. No real tool has an empty name. */
export const OPEN_CALLS = '';
