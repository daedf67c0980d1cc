/** Reads the data in Redis as the state of a memory ledger. This is the inverse of load-state.ts. */
import type { Code, OutcomeResult, Verdict } from '@mandate/schemas';
import { addToSlidingSum, bucketStartMs, takeSlot } from '@mandate/step';
import { openAgent } from '../memory/agents.ts';
import { openCounter, openRate } from '../memory/counters.ts';
import type { Deferral } from '../memory/deferral.ts';
import { mergeFlag } from '../memory/flags.ts';
import { remember, rememberBriefly } from '../memory/forget.ts';
import { putGrant } from '../memory/grants.ts';
import { openPosition } from '../memory/log-positions.ts';
import { keepPendingOutcome } from '../memory/out-of-order-outcomes.ts';
import type {
  Charge,
  Lease,
  PendingOutcome,
  ProcessedDelivery,
  StoredDecision,
  TenantState,
  UnitLease,
} from '../memory/remembered.ts';
import { createState, type LedgerState, openTenant } from '../memory/state.ts';
import type { Approval, KillReceipt } from '../port.ts';
import { budgetNamed, rateNamed, sourceAt } from './keys.ts';
import { type OpenList, openIn } from './open-list.ts';
import { everythingIn, type FlagReply, flagIn, pages } from './queries.ts';
import { type AnswerReply, contextIn, decidedIn, settledIn } from './scripts/answers.ts';
import { type Charged, type Micros, requestIn, unitIn, unitOfKind } from './scripts/field-encoding.ts';
import { turnIn } from './scripts/turn-words.ts';
import type { Shards } from './shards.ts';

export async function readState(shards: Shards): Promise<LedgerState> {
  const { epoch, everything, replayMemoryMs } = await shards.look();
  const state = createState(replayMemoryMs);
  if (everything !== null) mergeFlag(state.flags, everythingIn(everything));
  for (const [name, [forgetAtMs, answer]] of await registryCommands(shards)) {
    takeCommand(state, name, forgetAtMs, answer);
  }
  const [, , names] = (await shards.askRegistry('list-tenants', [])) as ['OK', number, string[]];
  for (const name of names) await readTenant(shards, state, name, epoch);
  return state;
}

type Command = [name: string, value: [forgetAtMs: number, answer: unknown]];

async function registryCommands(shards: Shards): Promise<Command[]> {
  const [, , all] = (await shards.askRegistry('list-commands', [])) as ['OK', number, unknown[]];
  return pairs(all) as Command[];
}

function pairs(flat: readonly unknown[]): [string, unknown][] {
  return flat.flatMap((field, at): [string, unknown][] =>
    at % 2 === 0 ? [[String(field), flat[at + 1]]] : [],
  );
}

async function readTenant(shards: Shards, state: LedgerState, name: string, epoch: string): Promise<void> {
  const [, nowMs, sequence, flags] = (await shards.ask(name, 'read-flags', ['', ''])) as [
    'OK',
    number,
    number,
    FlagReply[],
  ];
  const tenant = openTenant(state, name);
  tenant.sequence = sequence;
  state.clockMs = Math.max(state.clockMs, nowMs);
  for (const flag of flags) if (flag[0] !== '*') mergeFlag(state.flags, flagIn(flag));

  const read = async (what: string, take: (field: string, value: unknown) => void) => {
    for await (const page of pages(shards, name, 'dump', [what])) {
      for (const [field, value] of pairs(page)) take(field, value);
    }
  };
  await read('commands', (command, value) => {
    const [forgetAtMs, answer] = value as Command[1];
    takeCommand(state, command, forgetAtMs, answer, tenant);
  });
  await read('spent', (counter, amount) => {
    openCounter(tenant.counters, budgetNamed(counter)).spent = Number(amount);
  });
  await read('windows', (counter, value) => takeWindow(tenant, counter, value as number[], nowMs));
  await read('rates', (rate, value) => {
    for (const [time, calls] of pairs(value as unknown[])) {
      for (let call = 0; call < Number(calls); call += 1) {
        takeSlot(openRate(tenant.counters, rateNamed(rate)), Number(time), nowMs);
      }
    }
  });
  await read('grants', (request, value) => {
    const [agentId = '', actionId = '', digest = ''] = request.split(' ');
    const [answer, expiresAtMs, forgetAtMs, sequence, answers] = value as GrantReply;
    const deferral = answers ? deferralIn(tenant, answers) : null;
    const grant = { agentId, actionId, digest, answer, expiresAtMs, forgetAtMs, sequence, deferral };
    putGrant(tenant.grants, grant, nowMs);
  });
  await read('turns', (field, words) => {
    tenant.turns.set(field, turnIn(field, String(words)));
  });
  await read('waiting', (agentId, value) => {
    const waiting = (value as DeferralReply[]).map((deferral) => deferralIn(tenant, deferral));
    openAgent(tenant, agentId).waiting = waiting;
  });
  await read('done', (name, value) => takeDone(state, tenant, name, value as DoneReply));
  await readDeliveries(state, tenant, read, epoch);
}

type DeferralReply = [
  request: string,
  atMs: number,
  forgetAtMs: number,
  rates: Iterable<[name: string, windowMs: number]>,
];
type GrantReply = [
  answer: Approval['answer'],
  expiresAtMs: number,
  forgetAtMs: number,
  sequence: number,
  answers: DeferralReply | null,
];
type PendingOutcomeReply = [
  deltaMicros: Micros,
  result: OutcomeResult,
  excessMicros: Micros,
  releasedMicros: Micros,
  ...names: string[],
];
/** An entry of the last element of a pending outcome, if the outcome changed units. */
type PendingUnit = [kind: number, delta: Micros, excess: Micros, released: Micros, name: string];
type ReceiptReply = [epoch: string, sequence: number, atMs: number, value: Micros];
type DoneReply = [forgetAtMs: number, PendingOutcomeReply | ReceiptReply];

function deferralIn({ counters }: TenantState, [request, atMs, forgetAtMs, rates]: DeferralReply): Deferral {
  const [actionId = '', digest = ''] = request.split(' ');
  const held = [...rates].map(([name]) => openRate(counters, rateNamed(name)));
  return { actionId, digest, atMs, forgetAtMs, rates: held };
}

/**
 * Adds a command to the state. The registry has the complete command for everything, because a shard has only its own
 * part.
 */
function takeCommand(
  state: LedgerState,
  name: string,
  forgetAtMs: number,
  answer: unknown,
  tenant?: TenantState,
): void {
  const blank = name.indexOf(' ');
  const [verb, command] = [name.slice(0, blank), name.slice(blank + 1)];
  if (verb === 'revive') {
    state.revives.set(command, { answer: true, forgetAtMs });
  } else if (tenant === undefined) {
    state.kills.set(command, { answer: JSON.parse(String(answer)) as KillReceipt, forgetAtMs });
  } else if (!command.startsWith('* ')) {
    const [revision, sequence, listed, , heldSince] = answer as [number, number, OpenList, number, number];
    const open = openIn(tenant.name, listed);
    const receipt = { revision, heldSince, sequences: { [tenant.name]: sequence }, open };
    state.kills.set(command.slice(0, -1), { answer: receipt, forgetAtMs });
  }
}

function takeWindow(tenant: TenantState, name: string, buckets: readonly unknown[], nowMs: number): void {
  const { sliding } = openCounter(tenant.counters, budgetNamed(name));
  if (sliding === null) throw new TypeError(`${name} is no windowed counter`);
  for (const [bucket, amount] of pairs(buckets)) {
    addToSlidingSum(sliding, bucketStartMs(sliding.windowMs, Number(bucket)), Number(amount), nowMs);
  }
}

function takeDone(
  state: LedgerState,
  tenant: TenantState,
  name: string,
  [forgetAtMs, receipt]: DoneReply,
): void {
  const [verb = '', ...rest] = name.split(' ');
  const id = rest.join(' ');
  if (verb === 'pending') {
    const [deltaMicros, result, excessMicros, releasedMicros] = receipt as PendingOutcomeReply;
    const moved = {
      deltaMicros: Number(deltaMicros),
      excessMicros: Number(excessMicros),
      releasedMicros: Number(releasedMicros),
      ...pendingUnits(receipt),
    };
    keepPendingOutcome(state, `${tenant.name} ${id}`, { ...moved, result, forgetAtMs });
    return;
  }
  const [epoch, sequence, atMs, value] = receipt as ReceiptReply;
  if (verb === 'adjust') {
    tenant.adjustments.set(id, { answer: { epoch, sequence, atMs, spent: Number(value) }, forgetAtMs });
  } else {
    tenant.approvals.set(id, { answer: { epoch, sequence, atMs, expiresAtMs: Number(value) }, forgetAtMs });
  }
}

function pendingUnits(reply: readonly unknown[]): Pick<PendingOutcome, 'units'> {
  const last = reply.at(-1);
  if (!Array.isArray(last)) return {};
  const moved = (last as PendingUnit[]).map(([kind, delta, excess, released]) => [
    unitOfKind(kind),
    { delta: Number(delta), excess: Number(excess), released: Number(released) },
  ]);
  return { units: Object.fromEntries(moved) };
}

type Read = (what: string, take: (field: string, value: unknown) => void) => Promise<void>;

async function readDeliveries(
  state: LedgerState,
  tenant: TenantState,
  read: Read,
  epoch: string,
): Promise<void> {
  const byPosition = new Map<string, ProcessedDelivery>();
  await read('seen', (position, packed) => {
    const delivery = unpackDelivery(state, tenant, position, packed as PackedDelivery);
    byPosition.set(position, delivery);
    if (delivery.kind === 'unremembered') rememberBriefly(state, delivery);
    else remember(state, delivery);
  });
  await read('actions', (field, attempts) => {
    const [agentId = '', actionId = ''] = field.split(' ');
    const { actions } = openAgent(tenant, agentId);
    for (const [, position] of pairs(String(attempts).split(' '))) {
      const entry = byPosition.get(String(position));
      if (entry === undefined || !('another' in entry))
        throw new TypeError(`there is no decision at ${position}`);
      entry.another = actions.get(actionId) ?? null;
      actions.set(actionId, entry);
      if (entry.lease?.result === null) tenant.running.add(entry);
    }
  });
  await read('keys', (key, actionId) => void tenant.keys.set(key, String(actionId)));
  await read('unpublished', (call, value) => {
    const [atMs, plans, answers, held, ...left] = value as [
      number,
      string,
      AnswerReply[],
      Micros[],
      ...[position: string, index: number][],
    ];
    const reply = { call: Number(call), atMs, answers, held };
    const decided = decidedIn(reply, contextIn(plans), epoch);
    const answerAt = (delivery: ProcessedDelivery, index: number) =>
      delivery.kind === 'settled' || (delivery.kind === 'unremembered' && delivery.digest === null)
        ? { facts: settledIn(reply, index, epoch), entry: null }
        : { ...decided(index), appliedOutcome: null };
    for (const [position, index] of left) {
      const delivery = byPosition.get(position);
      if (delivery === undefined) throw new TypeError(`nothing is remembered at ${position}`);
      delivery.unpublished = answerAt(delivery, index);
      tenant.unpublished.add(delivery);
    }
  });
}

type PackedDelivery = [
  kind: 's' | 'd' | 'v' | 'u' | 'f' | 'e',
  agentId: string,
  forgetAtMs: number,
  ...rest: unknown[],
];

function unpackDelivery(
  state: LedgerState,
  tenant: TenantState,
  position: string,
  packed: PackedDelivery,
): ProcessedDelivery {
  const [kind, agentId, forgetAtMs, ...rest] = packed;
  const key = openPosition(state.positions, sourceAt(position));
  const common = { agent: openAgent(tenant, agentId), ...key, forgetAtMs, unpublished: null };
  if (kind === 's') return { kind: 'settled', ...common };
  if (kind === 'd') return { kind: 'duplicate', ...common, digest: rest[0] as string };
  // Redis does not keep the order of deliveries above the limit, so their sequence is 0.
  if (kind === 'u' || kind === 'v')
    return { kind: 'unremembered', ...common, digest: (rest[0] ?? null) as string | null, sequence: 0 };
  const [words, attempt, atMs, sequence, verdict, code, final, consumed, lease] = rest as PackedEntry;
  const { digest, actionId, idempotencyKey, appendedAtMs, type, tool, plan } = requestIn(words);
  const entry: StoredDecision = {
    kind: kind === 'f' ? 'first' : 'expired',
    ...common,
    digest,
    actionId,
    attempt,
    idempotencyKey,
    appendedAtMs,
    atMs,
    sequence,
    verdict,
    code,
    final: final === 1,
    grantConsumed: consumed === 1,
    lease: lease === null ? null : unpackLease(tenant, lease, { type, tool, ...plan }),
    another: null,
  };
  return entry;
}

type PackedEntry = [
  words: string,
  attempt: number,
  atMs: number,
  sequence: number,
  verdict: Verdict,
  code: Code,
  final: 1 | null,
  grantConsumed: 1 | null,
  lease: PackedLease | null,
];

type PackedLease = [
  reservedMicros: Micros,
  expiresAtMs: number,
  chargedMicros: Micros,
  result: OutcomeResult | null,
  charges: string,
  units?: readonly PackedUnit[] | null,
];

/** See parts/units.lua. */
type PackedUnit = readonly [reserved: Micros, word: string];

function unpackLease(
  tenant: TenantState,
  packed: PackedLease,
  { type, tool, charging, settling }: Pick<Lease, 'type' | 'tool' | 'charging' | 'settling'>,
): Lease {
  const [reservedMicros, expiresAtMs, chargedMicros, result, charges, units] = packed;
  return {
    type,
    tool,
    reservedMicros: Number(reservedMicros),
    charging,
    settling,
    charges: chargesIn(tenant, JSON.parse(charges) as Charged[]),
    ...(units != null && { units: Object.fromEntries(units.map((one) => unpackUnit(tenant, one))) }),
    expiresAtMs,
    chargedMicros: Number(chargedMicros),
    result,
  };
}

function unpackUnit(tenant: TenantState, [reserved, word]: PackedUnit): [unit: string, lease: UnitLease] {
  const { unit, settling, charges } = unitIn(word);
  return [unit, { reserved: Number(reserved), settling, charges: chargesIn(tenant, charges) }];
}

function chargesIn({ counters }: TenantState, charges: readonly Charged[]): Charge[] {
  return charges.map(([counter, , most]) => ({
    counter: openCounter(counters, budgetNamed(counter)),
    most: most === false ? null : most,
  }));
}
