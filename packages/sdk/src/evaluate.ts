/** Decides an action for a state that the caller provides. Pure: no I/O, no clock, and nothing is charged. */
import {
  actionDigest,
  decisionRecord,
  type MandateOfFile,
  mandatesOfFile,
  planInForce,
} from '@mandate/policy';
import type { ContentFinders } from '@mandate/policy/governance';
import {
  type Action,
  type CounterUnit,
  DEFAULTS,
  type Decision,
  isToolCall,
  type Limit,
  type LimitFact,
  mapUnits,
  type Plan,
  type StepFacts,
} from '@mandate/schemas';
import {
  addToCounter,
  type BudgetReference,
  budgetFact,
  createBudgetCounter,
  createSlidingRate,
  publishedVerdict,
  rateFact,
  takeSlot,
  totalOf,
  unitFact,
  unspentFact,
} from '@mandate/step';
import { readMandate } from './policy.ts';
import type { MandateDocument } from './types.ts';

/** The state of an agent before an action, as plain data: the argument of `evaluate`. */
export type AgentState = {
  /** The time of the decision, in milliseconds since the Unix epoch. */
  atMs: number;
  /** The reason of a kill that stops the agent. Absent if no kill stops the agent. */
  killed?: string;
  /**
   * The amounts in the counters of budgets, in micro-dollars. The lifetime budget of an agent has the scope `agent`,
   * the agent as subject, the id `total` and no window. The amount of a window counts as charged at `atMs`, so
   * `retryAfterMs` of a windowed budget is the whole window.
   */
  spent?: readonly (BudgetReference & { micros: number })[];
  /**
   * The amounts in the counters of limits in units other than money: tokens, or calls of tools that answers asked for.
   * The same rules apply as for `spent`.
   */
  used?: readonly (BudgetReference & { unit: CounterUnit; amount: number })[];
  /** The times of earlier calls. `tool`: the tool of calls that count in the tool's own rate. Null: all calls. */
  calls?: readonly { tool: string | null; timesMs: readonly number[] }[];
};

/**
 * Returns the decision about an action, if the agent is in the given state. Pure: reads no clock, and charges nothing.
 * The same arguments always give the same decision. The action in the decision is not redacted.
 *
 * @param mandate a mandate as an object, or one that `readMandate` has read, which takes less time
 * @param finders find personal data and profane words (`loadContentFinders`). Without them, an answer that the mandate
 * filters is blocked
 * @throws MandateError MANDATES_INVALID
 */
export function evaluate(
  action: Action,
  mandate: MandateDocument | MandateOfFile,
  state: AgentState,
  finders: ContentFinders | null = null,
): Decision {
  const read = 'policies' in mandate ? mandate : readMandate(mandate, action.agentId);
  const mandates = mandatesOfFile([read], 0);
  const { tenant = DEFAULTS.tenant } = action;
  const plan = { ...planInForce(mandates, tenant, action, state.atMs, action, finders), controlRevision: 0 };
  const request = {
    source: { topic: 'evaluate', partition: 0, offset: 0 },
    appendedAtMs: state.atMs,
    tenant,
    agentId: action.agentId,
    actionId: action.id,
    attempt: action.attempt ?? 1,
    idempotencyKey: action.idempotencyKey ?? null,
    digest: actionDigest(action),
    type: action.type,
    tool: isToolCall(action) ? action.tool : null,
    deadlineAtMs: null,
    maxRemembered: DEFAULTS.rememberedIds,
  };
  return decisionRecord({ request, action, plan, facts: factsFrom(plan, action.agentId, state) }).decision;
}

/** Returns the facts that a ledger in this state would return for the plan. */
function factsFrom(plan: Plan, agentId: string, state: AgentState): StepFacts {
  const { atMs, killed, spent = [] } = state;
  const kill = killed === undefined ? null : { scope: 'agent' as const, revision: 1, reason: killed };
  const limits = kill === null ? plan.limits.map((limit) => factOf(limit, plan, state)) : [];
  const found = { first: null, unremembered: false, late: false, kill, limits };
  const allowed = publishedVerdict(plan, found).verdict === 'ALLOW';
  const chargedMicros = allowed ? plan.reserveMicros : 0;
  const total = spent.find((one) => isSameCounter(one, totalOf(agentId)));
  return {
    ...found,
    epoch: 'evaluate',
    sequence: 0,
    atMs,
    chargedMicros,
    cumulativeMicros: (total?.micros ?? 0) + chargedMicros,
    leaseExpiresAtMs: allowed ? atMs + plan.leaseMs : null,
    ...(allowed &&
      plan.units !== undefined && { chargedUnits: mapUnits(plan.units, ({ reserve }) => reserve) }),
  };
}

function factOf(
  limit: Limit,
  plan: Plan,
  { atMs, spent = [], used = [], calls = [] }: AgentState,
): LimitFact {
  switch (limit.kind) {
    case 'budget': {
      const counter = createBudgetCounter(limit.windowMs);
      for (const one of spent) if (isSameCounter(one, limit)) addToCounter(counter, atMs, one.micros, atMs);
      return budgetFact(counter, limit, plan.reserveMicros, atMs);
    }
    case 'tokens':
    case 'toolCalls': {
      const counter = createBudgetCounter(limit.windowMs);
      for (const one of used) {
        if (one.unit === limit.kind && isSameCounter(one, limit))
          addToCounter(counter, atMs, one.amount, atMs);
      }
      return unitFact(counter, limit, plan.units?.[limit.kind]?.reserve ?? 0, atMs);
    }
    case 'rate': {
      const rate = createSlidingRate(limit);
      for (const one of calls)
        if (one.tool === limit.tool) for (const timeMs of one.timesMs) takeSlot(rate, timeMs, atMs);
      return rateFact(rate, limit, atMs);
    }
    default:
      return unspentFact(limit, plan, atMs);
  }
}

type Counter = Pick<BudgetReference, 'scope' | 'subject' | 'id' | 'windowMs'>;

function isSameCounter(one: Counter, other: Counter): boolean {
  return (
    one.scope === other.scope &&
    one.subject === other.subject &&
    one.id === other.id &&
    one.windowMs === other.windowMs
  );
}
