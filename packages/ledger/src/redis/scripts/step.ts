/** step.lua and confirm.lua: the operations of one tenant, as they go in and come out. */
import {
  type Code,
  type FirstDecision,
  type GrantState,
  type KillFact,
  type Limit,
  type LimitFact,
  type Plan,
  type SettleFacts,
  type SettleRequest,
  type StepFacts,
  type StepRequest,
  TOTAL_BUDGET,
  type Verdict,
} from '@mandate/schemas';
import type { Operation, StepResult } from '../../port.ts';
import { corrupt } from '../failure.ts';
import { coordinateOf, counterName, rateName, sourceAt } from '../keys.ts';
import type { Shards } from '../shards.ts';

/** Large ones come as text: scripts/parts/numbers.lua. */
type Micros = number | string;

/** What Lua says for true; for false and null alike it says null. */
type Flag = 1 | null;

export async function stepTenant(
  shards: Shards,
  tenant: string,
  operations: readonly Operation[],
): Promise<StepResult[]> {
  const plans = operations.map((operation) =>
    operation.op === 'decide' ? JSON.stringify(operation.plan) : '',
  );
  const limits = createLimitSets();
  const { reply, epoch } = await shards.askNamingEpoch(tenant, 'step', [
    shards.replayMemoryMs,
    tenant,
    JSON.stringify({
      operations: operations.map((operation) => encode(operation, limits)),
      limits: limits.all,
    }),
    ...plans,
  ]);
  if (reply[0] === 'CORRUPT') throw corrupt(String(reply[1]));
  const [, nowMs, results] = reply as ['OK', number, Reply[]];
  return results.map((result, at) => decode(result, operations[at], epoch, nowMs));
}

/** What the log holds now. Throws LEDGER_EPOCH_CHANGED when it was decided under another epoch. */
export async function confirmTenant(
  shards: Shards,
  epoch: string,
  tenant: string,
  published: readonly Pick<Operation, 'source'>[],
): Promise<void> {
  const coordinates = published.map(({ source }) => coordinateOf(source));
  await shards.askUnder(epoch, tenant, 'confirm', [JSON.stringify(coordinates)]);
}

/** What requests of one call are limited by, each set once: the requests of an agent mostly share theirs. */
type LimitSets = { readonly all: object[]; readonly places: Map<string, number> };

function createLimitSets(): LimitSets {
  return { all: [], places: new Map() };
}

/** Its place in the list, counted from 1 as Lua does. */
function placeOfLimits({ plan, agentId }: StepRequest, { all, places }: LimitSets): number {
  const set = { total: totalOf(agentId), limits: plan.limits.map(encodeLimit) };
  const name = JSON.stringify(set);
  const known = places.get(name);
  if (known !== undefined) return known;
  all.push(set);
  places.set(name, all.length);
  return all.length;
}

function totalOf(agentId: string): string {
  return counterName({ scope: 'agent', subject: agentId, id: TOTAL_BUDGET, windowMs: null });
}

function encode(operation: Operation, limits: LimitSets): object {
  const { op, source, agentId, actionId, attempt } = operation;
  const common = { op, at: coordinateOf(source), agent: agentId, action: actionId, attempt };
  return operation.op === 'decide'
    ? { ...common, ...encodeRequest(operation), limits: placeOfLimits(operation, limits) }
    : { ...common, ...encodeOutcome(operation), total: totalOf(agentId) };
}

/** `false` for null, which in Lua is a value that is true. */
function encodeRequest(request: StepRequest): object {
  const { plan } = request;
  return {
    key: request.idempotencyKey ?? false,
    digest: request.digest,
    appendedAt: request.appendedAtMs,
    deadline: request.deadlineAtMs ?? false,
    holdsFrom: plan.holdsFromMs,
    holdsUntil: plan.holdsUntilMs ?? false,
    refusal: plan.refusal === null ? false : { code: plan.refusal.code, hard: plan.refusal.hard },
    observe: plan.observe,
    reserve: plan.reserveMicros,
    charging: encodeCharging(plan.charging),
    leaseMs: plan.leaseMs,
  };
}

function encodeOutcome({ status, actualMicros, verified }: SettleRequest): object {
  const verification = verified === null ? 'not run' : verified ? 'yes' : 'no';
  return { status, actual: actualMicros ?? false, verified: verification };
}

export function encodeCharging(charging: Plan['charging']): (string | number)[] {
  return charging.type === 'TIERED'
    ? [charging.type, charging.attemptMicros, charging.successMicros, charging.verificationMicros]
    : [charging.type, charging.estimateMicros];
}

function encodeLimit(limit: Limit): object {
  if (limit.kind === 'confirmation') return {};
  if (limit.kind === 'rate') return { rate: rateName(limit), windowMs: limit.windowMs, max: limit.maxCalls };
  return { counter: counterName(limit), windowMs: limit.windowMs ?? false, max: limit.maxMicros ?? false };
}

type DecidedReply = [
  sequence: number,
  atMs: number,
  first: FirstReply | null,
  late: Flag,
  kill: [KillFact['scope'], number, string] | null,
  limits: LimitReply[],
  chargedMicros: Micros,
  cumulativeMicros: Micros,
  leaseExpiresAtMs: number | null,
];
type FirstReply = [string, number, 'f' | 'e', string, number, Verdict, Code, Flag];
type LimitReply = ['budget' | 'rate', Micros, Flag, number | null] | ['confirmation', Flag, GrantState];
type SettledReply = [
  sequence: number,
  atMs: number,
  kind: SettleFacts['kind'],
  late: Flag,
  deltaMicros: Micros,
  chargedMicros: Micros,
  cumulativeMicros: Micros,
  overdrawn: Flag,
];
type Reply =
  | ['decided', DecidedReply, plan?: string]
  | ['settled', SettledReply, redelivered: Flag]
  | ['published']
  | ['replan'];

function decode(reply: Reply, operation: Operation | undefined, epoch: string, nowMs: number): StepResult {
  switch (reply[0]) {
    case 'published':
      return { kind: 'published' };
    case 'replan':
      return { kind: 'replan', atMs: nowMs };
    case 'settled':
      return {
        kind: 'settled',
        facts: decodeSettled(reply[1], epoch),
        redelivered: reply[2] === 1,
      };
    case 'decided': {
      const [, facts, stored] = reply;
      if (operation?.op !== 'decide') throw new TypeError('an outcome was decided');
      const plan = stored === undefined ? operation.plan : (JSON.parse(stored) as StepRequest['plan']);
      return { kind: 'decided', plan, facts: decodeDecided(facts, epoch), redelivered: stored !== undefined };
    }
  }
}

export function decodeDecided(reply: DecidedReply, epoch: string): StepFacts {
  const [sequence, atMs, first, late, kill, limits, chargedMicros, cumulativeMicros, leaseExpiresAtMs] =
    reply;
  return {
    epoch,
    sequence,
    atMs,
    first: first === null ? null : decodeFirst(first),
    late: late === 1,
    kill: kill === null ? null : { scope: kill[0], revision: kill[1], reason: kill[2] },
    limits: limits.map(decodeLimit),
    chargedMicros: Number(chargedMicros),
    cumulativeMicros: Number(cumulativeMicros),
    leaseExpiresAtMs,
  };
}

function decodeFirst(reply: FirstReply): FirstDecision {
  const [coordinate, appendedAtMs, kind, actionId, attempt, verdict, code, samePayload] = reply;
  return {
    source: sourceAt(coordinate),
    appendedAtMs,
    kind: kind === 'f' ? 'first' : 'expired',
    actionId,
    attempt,
    verdict,
    code,
    samePayload: samePayload === 1,
  };
}

function decodeLimit(reply: LimitReply): LimitFact {
  switch (reply[0]) {
    case 'budget':
      return { kind: 'budget', spentMicros: Number(reply[1]), ok: reply[2] === 1, retryAfterMs: reply[3] };
    case 'rate':
      return { kind: 'rate', calls: Number(reply[1]), ok: reply[2] === 1, retryAfterMs: reply[3] };
    case 'confirmation':
      return { kind: 'confirmation', ok: reply[1] === 1, grant: reply[2] };
  }
}

export function decodeSettled(reply: SettledReply, epoch: string): SettleFacts {
  const [sequence, atMs, kind, late, deltaMicros, chargedMicros, cumulativeMicros, overdrawn] = reply;
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
