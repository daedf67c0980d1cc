/** What a policy limits, so that its limits can be held against each other, and against those of others. */

import type { NamedPolicy } from '@mandate/policy';
import type { Rate } from '@mandate/policy/parts';
import { type BudgetLimit, durationInWords, formatMicros, TOTAL_BUDGET } from '@mandate/schemas';

export type Limit = {
  says: string;
  of: 'micros' | 'calls';
  most: number;
  /** The agents that share the count; `call`: the cost of one call is judged, and nothing is counted. */
  scope: 'call' | BudgetLimit['scope'];
  /** null: of every tool. */
  tool: string | null;
  /** Limits of the same one see the same count. */
  counter: string;
  /** Whatever an agent does is counted, whether or not the policy holds it then. */
  isOfAll: boolean;
};

export type Limits = {
  all: readonly Limit[];
  /** Those that count calls of this tool, or of any. */
  of(tool: string | null): readonly Limit[];
  /** How many there are at most to look at for one tool. */
  mostOfTool: number;
};

const made = new WeakMap<NamedPolicy, Limits>();

/** @param policy the same object for as long as it is the same */
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

  function perCall(maxMicros: number | null, tool: string | null): Limit[] {
    if (maxMicros === null) return [];
    const says = `${fieldOf(tool, 'maxCostPerCall')} of ${formatMicros(maxMicros)}`;
    const counter = JSON.stringify(['call', tool]);
    const of = { of: 'micros', scope: 'call', tool, counter, isOfAll: false } as const;
    return [{ ...of, says, most: maxMicros }];
  }

  function rated(rate: Rate | null, tool: string | null): Limit[] {
    if (rate === null) return [];
    const { maxCalls: most, windowMs } = rate;
    const says = `${fieldOf(tool, 'rateLimit')} of ${most} calls${within(windowMs)}`;
    const counter = JSON.stringify(['rate', tool, windowMs]);
    const of = { of: 'calls', scope: 'agent', tool, counter, isOfAll: false } as const;
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
 * Whether whatever counts for the second counts for the first as well, where both are asked of the same calls. Other
 * counters begin when a policy first names them: what stood in an earlier version, in bounds that were or in a file of
 * mandates may have filled the second already. An agent's total is counted whatever holds it.
 */
export function countsAllOf(wide: Limit, narrow: Limit): boolean {
  if (wide.of !== narrow.of || (wide.tool !== null && wide.tool !== narrow.tool)) return false;
  return narrow.scope === 'call' || (wide.isOfAll && narrow.scope === 'agent');
}
