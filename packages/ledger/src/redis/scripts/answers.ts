/** What a call of step.lua answered, as it comes out of the script and out of what is kept until it is on the log. */
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
  Verdict,
} from '@mandate/schemas';
import { sourceAt } from '../keys.ts';

/** Large ones come as text: scripts/parts/numbers.lua. */
type Micros = number | string;

type Flag = 0 | 1;

export type DecidedReply = [
  operation: number,
  sequence: number,
  first: FirstReply | 0,
  late: Flag,
  kill: [KillFact['scope'], number, string] | 0,
  chargedMicros: Micros,
  cumulativeMicros: Micros,
  leaseExpiresAtMs: number,
  ...limits: LimitReply[],
];
type FirstReply = [string, string, 'f' | 'e', string, number, Verdict, Code, Flag];
/** What is held, where it lets the request through; else with the wait in ms, or -1. Of a confirmation its grant. */
type LimitReply = Micros | GrantState | [held: Micros, waitMs: number];
const LIMITS_AT = 8;

export type SettledReply = [
  operation: number,
  sequence: number,
  kind: SettleFacts['kind'],
  late: Flag,
  deltaMicros: Micros,
  chargedMicros: Micros,
  cumulativeMicros: Micros,
  overdrawn: Flag,
];

export type AnswerReply = DecidedReply | SettledReply;

export function decodeDecided(
  reply: DecidedReply,
  plan: StepRequest['plan'],
  epoch: string,
  atMs: number,
): StepFacts {
  const [, sequence, first, late, kill, chargedMicros, cumulativeMicros, leaseExpiresAtMs] = reply;
  return {
    epoch,
    sequence,
    atMs,
    first: first === 0 ? null : decodeFirst(first),
    late: late === 1,
    kill: kill === 0 ? null : { scope: kill[0], revision: kill[1], reason: kill[2] },
    limits: decodeLimits(reply, plan.limits),
    chargedMicros: Number(chargedMicros),
    cumulativeMicros: Number(cumulativeMicros),
    leaseExpiresAtMs: leaseExpiresAtMs === 0 ? null : leaseExpiresAtMs,
  };
}

function decodeFirst(reply: FirstReply): FirstDecision {
  const [coordinate, appendedAtMs, kind, actionId, attempt, verdict, code, samePayload] = reply;
  return {
    source: sourceAt(coordinate),
    appendedAtMs: Number(appendedAtMs),
    kind: kind === 'f' ? 'first' : 'expired',
    actionId,
    attempt,
    verdict,
    code,
    samePayload: samePayload === 1,
  };
}

/** None where the step ended before them. */
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
    const grant = reply as GrantState;
    return { kind: 'confirmation', ok: grant === 'granted', grant };
  }
  const ok = !Array.isArray(reply);
  const [held, waitMs] = ok ? [reply, -1] : reply;
  const retryAfterMs = waitMs < 0 ? null : waitMs;
  return limit.kind === 'rate'
    ? { kind: 'rate', calls: Number(held), ok, retryAfterMs }
    : { kind: 'budget', spentMicros: Number(held), ok, retryAfterMs };
}

export function decodeSettled(reply: SettledReply, epoch: string, atMs: number): SettleFacts {
  const [, sequence, kind, late, deltaMicros, chargedMicros, cumulativeMicros, overdrawn] = reply;
  return {
    epoch,
    sequence,
    atMs,
    kind,
    late: late === 1,
    deltaMicros: Number(deltaMicros),
    chargedMicros: Number(chargedMicros),
    cumulativeMicros: Number(cumulativeMicros),
    overdrawn: overdrawn === 1,
  };
}

/** `[[the place of each operation's], [plans]]`, as encode-call.ts makes it. */
export function plansText(places: readonly number[], plans: readonly string[]): string {
  return `[[${places.join()}],[${plans.join()}]]`;
}

/** @returns by the number of an operation, which counts from 1 */
export function plansIn(text: string): (operation: number) => StepRequest['plan'] {
  const [places, plans] = JSON.parse(text) as [number[], StepRequest['plan'][]];
  return (operation) => {
    const plan = plans[places[operation - 1] ?? -1];
    if (plan === undefined) throw new TypeError('no plan is kept of a decision');
    return plan;
  };
}
