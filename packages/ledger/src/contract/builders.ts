/** Functions that build requests and plans. Each field that a test does not set has the simplest value. */
import {
  type BudgetLimit,
  type Limit,
  type LogPosition,
  OPEN_CALLS,
  type RateLimit,
  type Refusal,
  type SettleRequest,
  type Settling,
  type StepRequest,
  type TurnLimit,
  UNBOUND_SETTLING,
  type UnitLimit,
  type UnitReserve,
  type UnitSettling,
} from '@mandate/schemas';
import { openCallsOf } from '@mandate/step';

export const TENANT = 'acme';
export const AGENT = 'agent-1';

type PlanOverrides = Partial<Omit<StepRequest['plan'], 'settling'>> & { settling?: Partial<Settling> };

/** Returns a plan. If `openLimit` is in its limits, the call counts as an open call. */
export function planOf(overrides: PlanOverrides = {}): StepRequest['plan'] {
  const reserveMicros = overrides.reserveMicros ?? 100;
  return {
    holdsFromMs: 0,
    holdsUntilMs: null,
    refusal: null,
    observe: false,
    reserveMicros,
    charging: { type: 'SUCCESS_BASED', estimateMicros: reserveMicros },
    leaseMs: 60_000,
    limits: [],
    mandate: null,
    checks: [],
    controlRevision: 1,
    ...overrides,
    settling: {
      ...UNBOUND_SETTLING,
      ...overrides.settling,
      open: overrides.limits?.some(isOpenLimit) ?? false,
    },
  };
}

export function refusal(overrides: Partial<Refusal> = {}): Refusal {
  return {
    code: 'TOOL_DENIED',
    reason: 'on the denylist',
    remedy: 'ask for another',
    final: true,
    ...overrides,
  };
}

/** Returns a lifetime budget of the agent. `overrides` replace its fields. */
export function budget(overrides: Partial<BudgetLimit> = {}): BudgetLimit {
  return {
    kind: 'budget',
    scope: 'agent',
    subject: AGENT,
    id: 'total',
    windowMs: null,
    maxMicros: 1_000,
    ...overrides,
  };
}

/** Returns a lifetime limit of the agent in a unit. Default: 1,000 tokens. `overrides` replace its fields. */
export function unitLimit(overrides: Partial<UnitLimit> = {}): UnitLimit {
  return {
    kind: 'tokens',
    scope: 'agent',
    subject: AGENT,
    id: 'total',
    windowMs: null,
    most: 1_000,
    ...overrides,
  };
}

/** Returns what a call of 100 tokens reserves. `settling` replaces fields of its settling. */
export function unitReserve(settling: Partial<UnitSettling> = {}, reserve = 100): UnitReserve {
  return {
    reserve,
    settling: {
      charging: 'SUCCESS_BASED',
      most: Math.min(10 * reserve, Number.MAX_SAFE_INTEGER),
      releases: null,
      ...settling,
    },
  };
}

export function rate(overrides: Partial<RateLimit> = {}): RateLimit {
  return { kind: 'rate', agentId: AGENT, tool: null, windowMs: 1_000, maxCalls: 2, ...overrides };
}

/** Returns a limit on the open calls of the agent. `overrides` replace its fields. */
export function openLimit(overrides: Partial<RateLimit> = {}): RateLimit {
  return rate({ ...openCallsOf(AGENT), ...overrides });
}

export function isOpenLimit(limit: Limit): boolean {
  return limit.kind === 'rate' && limit.tool === OPEN_CALLS;
}

export const confirmation: Limit = { kind: 'confirmation', maxWaiting: 10 };

/** Returns a limit of the turn of `AGENT` that the prompt `p` opened. `overrides` replace its fields. */
export function turn(overrides: Partial<TurnLimit> = {}): TurnLimit {
  return {
    kind: 'turn',
    turnId: 'p',
    agents: [AGENT],
    person: 'u1 user',
    counts: 'tool',
    maxCalls: 2,
    timeoutMs: 1_000,
    intents: null,
    asked: ['mail'],
    ...overrides,
  };
}

/** Returns a prompt that opens a turn. Its id is `p`, as in `turn`. */
export function promptRequest(
  overrides: Partial<StepRequest> = {},
  intent: string | null = 'chat',
): StepRequest {
  const plan = planOf({ reserveMicros: 0, opensTurn: { intent, person: 'u1 user' }, ...overrides.plan });
  return stepRequest({ actionId: 'p', ...overrides, plan });
}

/** A limit on remembered deliveries that no test reaches. */
export const NO_BOUND = Number.MAX_SAFE_INTEGER;

let lastOffset = 0;

/** Returns a log position that no other test uses. */
export function newSource(): LogPosition {
  lastOffset += 1;
  return { topic: 'mandate.actions.v1', partition: 0, offset: lastOffset };
}

/** Returns a new request, with another action and log position each time. */
export function stepRequest(overrides: Partial<StepRequest> = {}): StepRequest {
  const source = overrides.source ?? newSource();
  return {
    op: 'decide',
    source,
    appendedAtMs: 1_000,
    tenant: TENANT,
    agentId: AGENT,
    actionId: `action-${source.offset}`,
    attempt: 1,
    idempotencyKey: null,
    digest: 'payload',
    type: 'tool_call',
    tool: 'search',
    deadlineAtMs: null,
    maxRemembered: NO_BOUND,
    plan: planOf(),
    ...overrides,
  };
}

/** Returns the outcome of the request: a success that the agent itself reports. `overrides` replace its fields. */
export function settleRequest(of: StepRequest, overrides: Partial<SettleRequest> = {}): SettleRequest {
  const { tenant, agentId, actionId, attempt } = of;
  return {
    op: 'settle',
    source: newSource(),
    tenant,
    agentId,
    actionId,
    attempt,
    status: 'success',
    actualMicros: null,
    verified: null,
    maxRemembered: NO_BOUND,
    mayRelease: false,
    ...overrides,
  };
}

/** Returns the same request at another log position. */
export function repeated(request: StepRequest, overrides: Partial<StepRequest> = {}): StepRequest {
  return { ...request, source: newSource(), ...overrides };
}
