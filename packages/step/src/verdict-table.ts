/**
 * Every verdict that a step can reach, except the refusal in a plan. The Lua scripts of Redis get the same rows from
 * generated constants, so a changed row changes both stores.
 */
import type { Code, GrantState, TURN_FAILURES, Verdict } from '@mandate/schemas';
import type { CounterUnit } from '@mandate/schemas/core';

/**
 * `final`: true if a retry cannot help. Null for a counter: its refusal is final unless waiting frees the counter.
 * `retryAfterMs`: the wait after which the next attempt may pass; null if no such time is known.
 */
export type VerdictRow = {
  readonly verdict: Verdict;
  readonly code: Code;
  readonly final: boolean | null;
  readonly retryAfterMs: number | null;
};

export const VERDICTS = {
  allowed: { verdict: 'ALLOW', code: 'ALLOWED', final: false, retryAfterMs: null },
  /** The verdict if a deferred request is sent again: it is deferred again. */
  deferredAgain: { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', final: false, retryAfterMs: null },
  duplicate: { verdict: 'BLOCK', code: 'DUPLICATE_ACTION', final: true, retryAfterMs: null },
  noRoom: { verdict: 'BLOCK', code: 'REPLAY_MEMORY_FULL', final: false, retryAfterMs: null },
  late: { verdict: 'BLOCK', code: 'DEADLINE_EXCEEDED', final: false, retryAfterMs: 0 },
  killed: { verdict: 'BLOCK', code: 'AGENT_KILLED', final: true, retryAfterMs: null },
  turnUnknown: { verdict: 'BLOCK', code: 'TURN_UNKNOWN', final: true, retryAfterMs: null },
  otherPerson: { verdict: 'BLOCK', code: 'PRINCIPAL_MISMATCH', final: true, retryAfterMs: null },
  turnOver: { verdict: 'BLOCK', code: 'TURN_LIMIT_EXCEEDED', final: true, retryAfterMs: null },
  toolNotForIntent: { verdict: 'BLOCK', code: 'TOOL_NOT_FOR_INTENT', final: true, retryAfterMs: null },
  storeNotForIntent: { verdict: 'BLOCK', code: 'STORE_NOT_ALLOWED', final: true, retryAfterMs: null },
  overBudget: { verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED', final: null, retryAfterMs: null },
  overTokens: { verdict: 'BLOCK', code: 'TOKEN_LIMIT_EXCEEDED', final: null, retryAfterMs: null },
  overToolCalls: { verdict: 'BLOCK', code: 'TOOL_CALL_LIMIT_EXCEEDED', final: null, retryAfterMs: null },
  overRate: { verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED', final: null, retryAfterMs: null },
  asksPerson: { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', final: false, retryAfterMs: null },
  tooManyWait: { verdict: 'BLOCK', code: 'WAITING_LIMIT_EXCEEDED', final: false, retryAfterMs: null },
  denied: { verdict: 'BLOCK', code: 'APPROVAL_DENIED', final: true, retryAfterMs: null },
  expired: { verdict: 'BLOCK', code: 'APPROVAL_EXPIRED', final: false, retryAfterMs: null },
} as const satisfies Record<string, VerdictRow>;

export type VerdictName = keyof typeof VERDICTS;

/** The verdict for a call that does not fit into a limit in a unit other than money. */
export const VERDICT_OF_UNIT = {
  tokens: 'overTokens',
  toolCalls: 'overToolCalls',
} as const satisfies Record<CounterUnit, VerdictName>;

/** The verdict for a request that a person must approve, for each answer that the person may have given. */
export const VERDICT_OF_GRANT = {
  none: 'asksPerson',
  denied: 'denied',
  expired: 'expired',
} as const satisfies Record<Exclude<GrantState, 'granted'>, VerdictName>;

/** The verdict for a call that does not fit into its turn. The intent has another verdict if the call is no tool call. */
export const VERDICT_OF_TURN = {
  unknown: 'turnUnknown',
  person: 'otherPerson',
  timeout: 'turnOver',
  intent: 'toolNotForIntent',
  calls: 'turnOver',
} as const satisfies Record<(typeof TURN_FAILURES)[number], VerdictName>;

/** The refusal if an error prevented the plan. Observe mode does not lift this refusal. */
export const NOT_PLANNED: Code = 'INTERNAL_ERROR';
