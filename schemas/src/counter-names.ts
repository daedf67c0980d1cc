/** The names of counters that Mandate reserves for itself, beside those that a mandate gives to its budgets and tools. */
export const BUDGET_SCOPES = ['agent', 'principal', 'mandate', 'tenant'] as const;

/** The lifetime spend of an agent: always counted, limited by `maxCostTotal` where a mandate has one. */
export const TOTAL_BUDGET = 'total';

/**
 * What an agent's own reports gave back, less what its successes made room for since: a lifetime counter of each agent.
 * `maxReleases` bounds it.
 */
export const RELEASED_BUDGET = 'released';

/** The `tool` of the rate that counts calls without an outcome. No real tool has an empty name. */
export const OPEN_CALLS = '';
