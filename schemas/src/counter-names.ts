/**
 * The names that Mandate reserves for its own counters. All other budgets and tools get their names from mandates.
 */
export const BUDGET_SCOPES = ['agent', 'principal', 'mandate', 'tenant'] as const;

/**
 * The units of counters other than micro-dollars: tokens, and calls of tools that answers of models ask for. A counter
 * in such a unit exists only if a policy limits the unit. All other counters of budgets are in micro-dollars.
 */
export const COUNTER_UNITS = ['tokens', 'toolCalls'] as const;
export type CounterUnit = (typeof COUNTER_UNITS)[number];
/** A value for some of the units. A unit is absent if no policy limits it. */
export type ByUnit<T> = { [unit in CounterUnit]?: T | undefined };

/**
 * The names of each unit: its check, its word for people, and its fields in a policy. `max`: the field of a window.
 */
export const UNIT_NAMES = {
  tokens: {
    check: 'tokens',
    noun: 'tokens',
    total: 'maxTokensTotal',
    perWindow: 'tokensPerWindow',
    max: 'maxTokens',
  },
  toolCalls: {
    check: 'tool-calls',
    noun: 'tool calls',
    total: 'maxToolCallsTotal',
    perWindow: 'toolCallsPerWindow',
    max: 'maxToolCalls',
  },
} as const satisfies Record<CounterUnit, Record<string, string>>;

type Window = { id: string; scope: (typeof BUDGET_SCOPES)[number]; windowMs: number };

/** The limits of a policy in one unit. `total`: the lifetime limit of each agent, or null. */
export type UnitLimitsIn = { total: number | null; windows: readonly (Window & { most: number })[] };

/** The fields of a policy document that limit units. */
type UnitFields = {
  maxTokensTotal?: number | undefined;
  tokensPerWindow?: readonly (Window & { maxTokens: number })[] | undefined;
  maxToolCallsTotal?: number | undefined;
  toolCallsPerWindow?: readonly (Window & { maxToolCalls: number })[] | undefined;
};

const LIMITS_IN: Readonly<Record<CounterUnit, (document: UnitFields) => UnitLimitsIn>> = {
  tokens: ({ maxTokensTotal: total = null, tokensPerWindow: windows = [] }) => ({
    total,
    windows: windows.map(({ maxTokens: most, ...window }) => ({ ...window, most })),
  }),
  toolCalls: ({ maxToolCallsTotal: total = null, toolCallsPerWindow: windows = [] }) => ({
    total,
    windows: windows.map(({ maxToolCalls: most, ...window }) => ({ ...window, most })),
  }),
};

/** Reads the limits of a policy document in one unit, in the same form for every unit. */
export function unitLimitsIn(document: UnitFields, unit: CounterUnit): UnitLimitsIn {
  return LIMITS_IN[unit](document);
}

/** Returns the unit of a limit or a check. Undefined if the limit is in another unit. */
export function unitOfCheck(check: string): CounterUnit | undefined {
  return COUNTER_UNITS.find((unit) => UNIT_NAMES[unit].check === check);
}

export function isUnit(kind: string): kind is CounterUnit {
  return (COUNTER_UNITS as readonly string[]).includes(kind);
}

/** Returns the units that have a value, with their values, in the order of `COUNTER_UNITS`. */
export function unitsIn<T>(values: ByUnit<T> | undefined): [unit: CounterUnit, value: T][] {
  if (values === undefined) return [];
  return COUNTER_UNITS.flatMap((unit): [CounterUnit, T][] => {
    const value = values[unit];
    return value === undefined ? [] : [[unit, value]];
  });
}

/** Converts each value. */
export function mapUnits<T, U>(values: ByUnit<T>, convert: (value: T, unit: CounterUnit) => U): ByUnit<U> {
  const converted: ByUnit<U> = {};
  for (const [unit, value] of unitsIn(values)) converted[unit] = convert(value, unit);
  return converted;
}

/**
 * The counter of an agent's lifetime spending. It is always counted, and `maxCostTotal` of a mandate limits it. In
 * another unit, the counter of what `maxTokensTotal` or `maxToolCallsTotal` limits.
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

/** The name of all tools together that have no count of their own in the answer of a model. */
export const OTHER_TOOLS = '';
