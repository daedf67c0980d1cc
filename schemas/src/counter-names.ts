/** The names of counters that Mandate reserves for itself, beside those that a mandate gives to its budgets and tools. */
export const BUDGET_SCOPES = ['agent', 'principal', 'mandate', 'tenant'] as const;

/** The lifetime spending of an agent. It is always counted. `maxCostTotal` of a mandate limits it. */
export const TOTAL_BUDGET = 'total';

/**
 * The give-backs of the agent's own reports, less the room that later successes made. Each agent has one such
 * lifetime counter, and `maxReleases` bounds it.
 */
export const RELEASED_BUDGET = 'released';

/** The `tool` of the rate that counts calls without an outcome. No real tool has an empty name. */
export const OPEN_CALLS = '';
