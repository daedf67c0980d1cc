/**
 * Decodes the answers of a call of step.lua. An answer comes from the script, or from the stored answers that are not
 * on the log yet.
 */
import type {
  Code,
  FirstDecision,
  GrantState,
  KillFact,
  Limit,
  LimitFact,
  SettleFacts,
  StepFacts,
  StepRequest,
  TurnLimit,
  UnitSettled,
  Verdict,
} from '@mandate/schemas';
import { type ByUnit, TURN_FAILURES } from '@mandate/schemas/core';
import { isUnitLimit } from '@mandate/step';
import { sourceAt } from '../keys.ts';
import { type CallContext, type CounterRefs, fastPathFacts } from './fast-path.ts';
import { type Micros, unitOfKind } from './field-encoding.ts';

type Flag = 0 | 1;
/** 1: the request is too late. 2: the tenant is at its limit of remembered deliveries. */
type Over = 0 | 1 | 2;

type DecidedReply = [
  operation: number,
  sequence: number,
  first: FirstReply | 0,
  over: Over,
  kill: KillReply | 0,
  charged: Micros | [micros: Micros, ...units: [kind: number, amount: Micros][]],
  cumulativeMicros: Micros,
  leaseExpiresAtMs: number,
  ...limits: LimitReply[],
];
type KillReply = [scope: KillFact['scope'], revision: number, reason: string, head?: string];
type FirstReply = [string, string, 'f' | 'e', string, number, Verdict, Code, Flag];
/** The counter's sum if the limit is not exceeded. Otherwise the sum with the wait in ms, or -1 if no wait helps. */
type LimitReply = Micros | [held: Micros, waitMs: number] | GrantReply | TurnReply;
type GrantReply = [grant: GrantState, waiting: number];
/** `fails`: the number of the failure, 0 for none. `holder`: the number of the agent among the limit's, 0 for none. */
type TurnReply = [fails: number, holder: number, openedAtMs: number, intent: string, calls: number];
const LIMITS_AT = 8;

type SettledReply = [
  operation: number,
  sequence: number,
  kind: SettleFacts['kind'],
  late: Flag,
  deltaMicros: Micros,
  chargedMicros: Micros,
  cumulativeMicros: Micros,
  overdrawn: Flag,
  excessMicros: Micros,
  releasedMicros: Micros,
  releaseRefused: Flag,
  overCostPerCall: Flag,
  usageMicros?: Micros | null,
  units?: UnitReply[],
];
type UnitReply = [
  kind: number,
  delta: Micros,
  charged: Micros,
  excess: Micros,
  released: Micros,
  releaseRefused: Flag,
  overdrawn: Flag,
];

const EXCESS_AT = 8;
type Marks = [
  excessMicros: Micros,
  releasedMicros: Micros,
  releaseRefused: Flag,
  overCostPerCall: Flag,
  usageMicros?: Micros | null,
  units?: UnitReply[],
];

/** The answer to an operation. For the fast path it is only the operation's number (fast-path.ts). */
export type AnswerReply = number | DecidedReply | SettledReply;

/** The answers of one call, and the counters' sums at the start of the call. */
export type CallReply = {
  call: number;
  atMs: number;
  answers: readonly AnswerReply[];
  held: readonly Micros[];
};

/** Returns a function that returns the decision at an index of the answers. Indices count from 1. */
export function decidedIn({ call, atMs, answers, held }: CallReply, context: CallContext, epoch: string) {
  const factsOf = fastPathFacts(held, context);
  const onFastPath = answers.map((reply, at) =>
    typeof reply === 'number' ? factsOf(reply, call + at, epoch, atMs) : null,
  );
  return (index: number): { plan: StepRequest['plan']; facts: StepFacts } => {
    const reply = answers[index - 1];
    if (reply === undefined) throw new TypeError('an answer was named that was not given');
    const facts = onFastPath[index - 1];
    if (facts) return { plan: context.planOf(reply as number), facts };
    const decided = reply as DecidedReply;
    const plan = context.planOf(decided[0]);
    return { plan, facts: decodeDecided(decided, plan, epoch, atMs) };
  };
}

/** Returns the facts of the outcome at an index of the answers. */
export function settledIn({ atMs, answers }: CallReply, index: number, epoch: string): SettleFacts {
  const reply = answers[index - 1];
  if (reply === undefined) throw new TypeError('an answer was named that was not given');
  return decodeSettled(reply as SettledReply, epoch, atMs);
}

function decodeDecided(
  reply: DecidedReply,
  plan: StepRequest['plan'],
  epoch: string,
  atMs: number,
): StepFacts {
  const [, sequence, first, over, kill, charged, cumulativeMicros, leaseExpiresAtMs] = reply;
  const [chargedMicros, ...units] = Array.isArray(charged) ? charged : [charged];
  return {
    epoch,
    sequence,
    atMs,
    first: first === 0 ? null : decodeFirst(first),
    unremembered: over === 2,
    late: over === 1,
    kill: kill === 0 ? null : decodeKill(kill),
    limits: decodeLimits(reply, plan.limits),
    chargedMicros: Number(chargedMicros),
    cumulativeMicros: Number(cumulativeMicros),
    leaseExpiresAtMs: leaseExpiresAtMs === 0 ? null : leaseExpiresAtMs,
    ...(units.length > 0 && {
      chargedUnits: byUnit(units.map(([kind, amount]) => [kind, Number(amount)])),
    }),
  };
}

function decodeKill([scope, revision, reason, agentId]: KillReply): KillFact {
  return agentId === undefined ? { scope, revision, reason } : { scope, revision, reason, agentId };
}

function decodeFirst(reply: FirstReply): FirstDecision {
  const [position, appendedAtMs, kind, actionId, attempt, verdict, code, samePayload] = reply;
  return {
    source: sourceAt(position),
    appendedAtMs: Number(appendedAtMs),
    kind: kind === 'f' ? 'first' : 'expired',
    actionId,
    attempt,
    verdict,
    code,
    samePayload: samePayload === 1,
  };
}

/** Decodes the facts about limits. Empty if the step ended before the limits. */
function decodeLimits(reply: DecidedReply, limits: readonly Limit[]): LimitFact[] {
  const facts: LimitFact[] = [];
  for (let at = LIMITS_AT; at < reply.length; at += 1) {
    const limit = limits[at - LIMITS_AT];
    if (limit === undefined) throw new TypeError('a limit was looked at that the plan does not have');
    facts.push(decodeLimit(reply[at] as LimitReply, limit));
  }
  return facts;
}

function decodeLimit(reply: LimitReply, limit: Limit): LimitFact {
  if (limit.kind === 'confirmation') {
    const [grant, waiting] = reply as GrantReply;
    return { kind: 'confirmation', ok: grant === 'granted', grant, waiting };
  }
  if (limit.kind === 'turn') return decodeTurn(reply as TurnReply, limit);
  const ok = !Array.isArray(reply);
  const [held, waitMs] = ok ? [reply, -1] : (reply as [Micros, number]);
  const retryAfterMs = waitMs < 0 ? null : waitMs;
  if (isUnitLimit(limit)) return { kind: limit.kind, used: Number(held), ok, retryAfterMs };
  return limit.kind === 'rate'
    ? { kind: 'rate', calls: Number(held), ok, retryAfterMs }
    : { kind: 'budget', spentMicros: Number(held), ok, retryAfterMs };
}

function decodeTurn([fails, holder, openedAtMs, intent, calls]: TurnReply, { agents }: TurnLimit): LimitFact {
  return {
    kind: 'turn',
    ok: fails === 0,
    fails: TURN_FAILURES[fails - 1] ?? null,
    agentId: agents[holder - 1] ?? null,
    intent: intent === '' ? null : intent,
    openedAtMs: holder === 0 ? null : openedAtMs,
    calls,
  };
}

function decodeSettled(reply: SettledReply, epoch: string, atMs: number): SettleFacts {
  const [, sequence, kind, late, deltaMicros, chargedMicros, cumulativeMicros, overdrawn] = reply;
  const [excessMicros, releasedMicros, releaseRefused, overCostPerCall, usageMicros, units] = reply.slice(
    EXCESS_AT,
  ) as Marks;
  return {
    epoch,
    sequence,
    atMs,
    kind,
    late: late === 1,
    deltaMicros: Number(deltaMicros),
    chargedMicros: Number(chargedMicros),
    cumulativeMicros: Number(cumulativeMicros),
    excessMicros: Number(excessMicros),
    usageMicros: usageMicros == null ? null : Number(usageMicros),
    releasedMicros: Number(releasedMicros),
    releaseRefused: releaseRefused === 1,
    overCostPerCall: overCostPerCall === 1,
    overdrawn: overdrawn === 1,
    ...(units !== undefined && { units: byUnit(units.map(decodeUnit)) }),
  };
}

function decodeUnit(reply: UnitReply): [kind: number, settled: UnitSettled] {
  const [kind, delta, charged, excess, released, releaseRefused, overdrawn] = reply;
  const settled = {
    delta: Number(delta),
    charged: Number(charged),
    excess: Number(excess),
    released: Number(released),
    releaseRefused: releaseRefused === 1,
    overdrawn: overdrawn === 1,
  };
  return [kind, settled];
}

function byUnit<T>(entries: readonly [kind: number, value: T][]): ByUnit<T> {
  return Object.fromEntries(entries.map(([kind, value]) => [unitOfKind(kind), value]));
}

/**
 * The plans and terms of a call. `planIndices` and `terms` have an index for each operation, or -1 for none. `plans`
 * and `counterRefs` have the entries at these indices.
 */
export type KeptPlans = {
  planIndices: readonly number[];
  plans: readonly StepRequest['plan'][];
  terms: readonly number[];
  counterRefs: readonly CounterRefs[];
  named: CallContext['named'];
};

/** @param text `KeptPlans` as JSON, from encode-call.ts */
export function contextIn(text: string): CallContext {
  const { planIndices, plans, terms, counterRefs, named } = JSON.parse(text) as KeptPlans;
  return {
    named,
    planOf: (operation) => found(plans[planIndices[operation - 1] ?? -1]),
    counterRefsOf: (operation) => found(counterRefs[(terms[operation - 1] ?? 0) - 1]),
  };
}

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('no plan is kept of a decision');
  return value;
}
