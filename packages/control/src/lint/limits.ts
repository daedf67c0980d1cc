/** The limits of a policy, in a form that can be compared with each other and with limits of other policies. */

import type { NamedPolicy } from '@mandate/policy';
import type { Rate, UnitLimitRule } from '@mandate/policy/parts';
import {
  type BudgetLimit,
  COUNTER_UNITS,
  type CounterUnit,
  durationInWords,
  formatMicros,
  TOTAL_BUDGET,
  UNIT_NAMES,
} from '@mandate/schemas';

export type Limit = {
  says: string;
  of: 'micros' | CounterUnit | 'calls';
  most: number;
  /** The agents that share the counter. `call`: a limit on the cost of a single call, without a counter. */
  scope: 'call' | BudgetLimit['scope'];
  /** Null if the limit applies to all tools. */
  tool: string | null;
  /** A key of the counter: limits with the same key use the same counter. */
  counter: string;
  /** True if the counter counts everything that an agent does, even while the policy does not apply to the agent. */
  isOfAll: boolean;
  /** For a limit on tokens: the tokens that its policy assumes for a call that does not state them. */
  assumes?: string;
};

export type Limits = {
  all: readonly Limit[];
  /** Returns the limits that count calls of this tool, or of every tool. */
  of(tool: string | null): readonly Limit[];
  /** The largest number of limits to compare for one tool. */
  mostOfTool: number;
};

const made = new WeakMap<NamedPolicy, Limits>();

/** @param policy the result is cached by this object, so the object must be the same until the policy changes */
export function limitsOf(policy: NamedPolicy): Limits {
  const known = made.get(policy);
  if (known !== undefined) return known;
  const all = listOf(policy);
  const ofTool = Map.groupBy(all, ({ tool }) => tool);
  const ofAny = ofTool.get(null) ?? [];
  const limits: Limits = {
    all,
    of: (tool) => (tool === null ? ofAny : [...ofAny, ...(ofTool.get(tool) ?? [])]),
    mostOfTool: ofAny.length + 2,
  };
  made.set(policy, limits);
  return limits;
}

function listOf(policy: NamedPolicy): readonly Limit[] {
  const total = { id: TOTAL_BUDGET, scope: 'agent', windowMs: null } as const;
  const { maxCostTotalMicros: totalMicros, maxCostPerCallMicros, budgets, rate, tools } = policy;
  return [
    ...(totalMicros === null ? [] : [budget({ ...total, maxMicros: totalMicros }, 'maxCostTotal')]),
    ...budgets.map((one) => budget(one, `the ${one.scope} budget "${one.id}"`)),
    ...COUNTER_UNITS.flatMap((unit) => policy.unitLimits[unit].map((one) => inUnit(unit, one))),
    ...perCall(maxCostPerCallMicros, null),
    ...rated(rate, null),
    ...[...tools].flatMap(([tool, { maxCostPerCallMicros, rate }]) => [
      ...perCall(maxCostPerCallMicros, tool),
      ...rated(rate, tool),
    ]),
  ];

  function budget({ id, scope, windowMs, maxMicros }: (typeof budgets)[number], said: string): Limit {
    const owner = scope === 'mandate' ? policy.id : '';
    return {
      ...{ of: 'micros', most: maxMicros, scope, tool: null },
      says: `${said} of ${formatMicros(maxMicros)}${within(windowMs)}`,
      counter: JSON.stringify(['budget', scope, owner, id, windowMs]),
      isOfAll: id === TOTAL_BUDGET,
    };
  }

  function inUnit(unit: CounterUnit, { id, scope, windowMs, most }: UnitLimitRule): Limit {
    const { noun, total, perWindow } = UNIT_NAMES[unit];
    const said = id === TOTAL_BUDGET ? total : `the ${scope} limit "${id}" of ${perWindow}`;
    const owner = scope === 'mandate' ? policy.id : '';
    return {
      ...{ of: unit, most, scope, tool: null },
      says: `${said} of ${most} ${noun}${within(windowMs)}`,
      counter: JSON.stringify([unit, scope, owner, id, windowMs]),
      // Such a unit is counted only while a policy limits it.
      isOfAll: false,
      ...(unit === 'tokens' && { assumes: JSON.stringify(policy.defaultTokens) }),
    };
  }

  function perCall(maxMicros: number | null, tool: string | null): Limit[] {
    if (maxMicros === null) return [];
    const says = `${fieldOf(tool, 'maxCostPerCall')} of ${formatMicros(maxMicros)}`;
    const counter = JSON.stringify(['call', tool]);
    const of = { of: 'micros', scope: 'call', tool, counter, isOfAll: false } as const;
    return [{ ...of, says, most: maxMicros }];
  }

  function rated(rate: Rate | null, tool: string | null): Limit[] {
    if (rate === null) return [];
    const { maxCalls: most, windowMs, scope = 'agent' } = rate;
    const person = scope === 'principal' ? ' for each person' : '';
    const says = `${fieldOf(tool, 'rateLimit')} of ${most} calls${person}${within(windowMs)}`;
    const counter = JSON.stringify(['rate', scope, tool, windowMs]);
    const of = { of: 'calls', scope, tool, counter, isOfAll: false } as const;
    return [{ ...of, says, most }];
  }
}

function fieldOf(tool: string | null, field: string): string {
  return tool === null ? field : `toolPolicies.${tool}.${field}`;
}

function within(windowMs: number | null): string {
  return windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
}

/**
 * True if the wide limit has counted every call that the narrow limit has counted. A counter starts when a policy
 * first names it, so the narrow counter may be older than the wide counter. Only the total of an agent is counted
 * from the start, under any policy.
 */
export function countsAllOf(wide: Limit, narrow: Limit): boolean {
  if (wide.of !== narrow.of || (wide.tool !== null && wide.tool !== narrow.tool)) return false;
  return narrow.scope === 'call' || (wide.isOfAll && narrow.scope === 'agent');
}
