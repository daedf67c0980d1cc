/** What a policy limits, so that its limits can be held against each other, and against those of others. */
import { type BudgetLimit, durationInWords, formatMicros, TOTAL_BUDGET } from '@mandate/schemas';
import type { NamedPolicy } from '../mandate/compose.ts';
import type { Rate } from '../mandate/mandate.ts';

export type Limit = {
  says: string;
  of: 'micros' | 'calls';
  most: number;
  /** Whose calls are counted: one call's cost, an agent's calls … */
  scope: 'call' | BudgetLimit['scope'];
  /** null: of every tool. */
  tool: string | null;
  /** null: for ever; 0: of one call. */
  windowMs: number | null;
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
      ...{ of: 'micros', most: maxMicros, scope, tool: null, windowMs },
      says: `${said} of ${formatMicros(maxMicros)}${within(windowMs)}`,
      counter: JSON.stringify(['budget', scope, owner, id, windowMs]),
      isOfAll: id === TOTAL_BUDGET,
    };
  }

  function perCall(maxMicros: number | null, tool: string | null): Limit[] {
    if (maxMicros === null) return [];
    const says = `${fieldOf(tool, 'maxCostPerCall')} of ${formatMicros(maxMicros)}`;
    const counter = JSON.stringify(['call', tool]);
    const of = { of: 'micros', scope: 'call', tool, windowMs: 0, counter, isOfAll: false } as const;
    return [{ ...of, says, most: maxMicros }];
  }

  function rated(rate: Rate | null, tool: string | null): Limit[] {
    if (rate === null) return [];
    const { maxCalls: most, windowMs } = rate;
    const says = `${fieldOf(tool, 'rateLimit')} of ${most} calls${within(windowMs)}`;
    const counter = JSON.stringify(['rate', tool, windowMs]);
    const of = { of: 'calls', scope: 'agent', tool, windowMs, counter, isOfAll: false } as const;
    return [{ ...of, says, most }];
  }
}

function fieldOf(tool: string | null, field: string): string {
  return tool === null ? field : `toolPolicies.${tool}.${field}`;
}

function within(windowMs: number | null): string {
  return windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
}

/** Whatever is counted by the first of these is counted by the others too, where both are limits of one policy. */
const COUNTED_BY: Readonly<Record<Limit['scope'], readonly Limit['scope'][]>> = {
  call: ['call', 'agent', 'principal', 'mandate', 'tenant'],
  agent: ['agent', 'mandate', 'tenant'],
  principal: ['principal', 'mandate', 'tenant'],
  mandate: ['mandate', 'tenant'],
  tenant: ['tenant'],
};

/** Whether whatever counts for the second counts for the first as well, where both are asked of the same calls. */
export function countsAllOf(wide: Limit, narrow: Limit): boolean {
  if (wide.of !== narrow.of || !COUNTED_BY[narrow.scope].includes(wide.scope)) return false;
  if (wide.tool !== null && wide.tool !== narrow.tool) return false;
  return reachesBack(wide, narrow);
}

/** A windowed budget may count for a thousandth of its window longer (ADR 3). */
const BUCKET = 1.001;

function reachesBack(wide: Limit, narrow: Limit): boolean {
  if (wide.windowMs === narrow.windowMs || wide.windowMs === null) return true;
  return narrow.windowMs !== null && wide.windowMs > narrow.windowMs * BUCKET;
}
