/**
 * Answers a batch of records in these steps: read, plan, step, decide. Returns one answer for each record, in order.
 * This code does not use the log, so both the decider and the offline evaluation call it.
 */
import { hash } from 'node:crypto';
import type { Operation, StepResult } from '@mandate/ledger';
import {
  actionDigest,
  decisionRecord,
  internalError,
  type MandatesInForce,
  planInForce,
  settlementRecord,
} from '@mandate/policy';
import { beginTogether, type Lane, turns, withSpans } from '@mandate/runtime';
import {
  type Action,
  agentKey,
  changeFreeFields,
  DEFAULTS,
  isToolCall,
  type Outcome,
  type Plan,
  type StepRequest,
  toolCallsIn,
} from '@mandate/schemas';
import type { Answer, AnswerContext, Answered, Incoming } from './answer.ts';
import { ledgerStep } from './ledger-span.ts';
import { type ReadIncoming, readIncoming } from './read-incoming.ts';

type Asked = {
  at: number;
  incoming: Incoming;
  action: Action;
  /** The action as it is published. */
  redacted: Action;
  /** The error of the redaction, or null. An action with a redaction error is blocked. */
  redactionError: Error | null;
  request: Omit<StepRequest, 'op' | 'plan'>;
};
type Reported = {
  at: number;
  incoming: Incoming;
  outcome: Outcome;
  keyId: string | null;
  request: Extract<Operation, { op: 'settle' }>;
};

/**
 * An item without an answer yet. `planForMs`: the time to plan for. At first it is the time of the decider's clock.
 * After a refused plan it is the time of the ledger.
 */
type Pending = { item: Asked | Reported; planForMs: number };

/**
 * How often the ledger may refuse the plan of an action. A plan is valid between two times. The ledger's clock
 * differs from the decider's, so the plan may not be valid at the ledger's time. After this many refusals the action
 * is blocked by a plan that is always valid, so that the rest of the batch continues.
 */
const MAX_REPLANS = 8;

export async function answerBatch(batch: readonly Incoming[], context: AnswerContext): Promise<Answered> {
  const answers = new Array<Answer>(batch.length);
  const { ledger } = context;
  const control = context.control();
  // The ping loads the replay memory of the ledger, because deadlines may not exceed the replay memory.
  if (ledger.epoch === '') await ledger.ping();
  const lane = laneOf(batch);
  const planForMs = context.clock();
  let open: Pending[] = [];
  for (const [at, incoming] of batch.entries()) {
    if (turns.isOver()) await turns.next(lane);
    const read = readIncoming(incoming, context.clock);
    if (read.kind === 'bad') answers[at] = deadLetterOf(read);
    else open.push({ item: itemOf(at, incoming, read, context), planForMs });
  }
  const operations = open.map(({ item }) => item.request);
  for (let round = 0; open.length > 0; round++) {
    if (round > MAX_REPLANS) throw new Error('the ledger refuses plans that always hold');
    const asking: Operation[] = [];
    for (const { item, planForMs } of open) {
      if (turns.isOver()) await turns.next(lane);
      asking.push(operationOf(item, control, round < MAX_REPLANS ? planForMs : null, context.finders));
    }
    const parents = open.map(({ item }) => item.incoming.span);
    const spans = beginTogether(parents, 'ledger step', ledgerStep(ledger, asking.length));
    const results = await withSpans(spans, () => ledger.step(asking));
    const again: Pending[] = [];
    for (const [index, { item }] of open.entries()) {
      if (turns.isOver()) await turns.next(lane);
      const result = results[index];
      if (result === undefined) throw new Error('the ledger answered fewer operations than it was given');
      if (result.kind === 'replan') again.push({ item, planForMs: result.atMs });
      else answers[item.at] = answerOf(item, result);
    }
    open = again;
  }
  return { answers, operations };
}

function deadLetterOf({ deadLetter: record }: Extract<ReadIncoming, { kind: 'bad' }>): Answer {
  return { kind: 'dead-letter', key: record.deadLetter.key, record };
}

function itemOf(
  at: number,
  incoming: Incoming,
  read: Exclude<ReadIncoming, { kind: 'bad' }>,
  context: AnswerContext,
): Asked | Reported {
  return read.kind === 'action'
    ? asked(at, incoming, read.tenant, read.action, context)
    : reported(at, incoming, read, context);
}

/**
 * Hashes with Node's SHA-256. The policy package must not import Node, so its own SHA-256 is written in JavaScript.
 */
function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * Returns the queue in which this partition waits for time on the event loop. Without this queue, an agent with
 * expensive records or rules would block all other partitions, heartbeats and requests during a whole batch.
 */
function laneOf([first]: readonly Pick<Incoming, 'source'>[]): Lane {
  return ['deciders', first === undefined ? '' : `${first.source.topic}/${first.source.partition}`];
}

function asked(
  at: number,
  incoming: Incoming,
  tenant: string,
  action: Action,
  context: AnswerContext,
): Asked {
  const { replayMemoryMs } = context.ledger;
  const request = {
    source: incoming.source,
    appendedAtMs: incoming.appendedAtMs,
    tenant,
    agentId: action.agentId,
    actionId: action.id,
    attempt: action.attempt ?? 1,
    idempotencyKey: action.idempotencyKey ?? null,
    digest: actionDigest(action, incoming.fingerprint, sha256),
    type: action.type,
    tool: isToolCall(action) ? action.tool : null,
    deadlineAtMs: context.deadlines
      ? incoming.appendedAtMs + Math.min(action.deadlineMs ?? DEFAULTS.deadlineMs, replayMemoryMs - 1)
      : null,
    maxRemembered: context.maxRemembered?.(tenant) ?? DEFAULTS.rememberedIds,
  };
  return { at, incoming, action, request, ...redactedOf(action, tenant, context) };
}

/**
 * Returns the action as it is published. If redaction fails, the free fields and the principal are left out, because
 * each may be secret.
 */
function redactedOf(
  action: Action,
  tenant: string,
  { redact }: AnswerContext,
): Pick<Asked, 'redacted' | 'redactionError'> {
  try {
    return { redacted: redact(action, tenant), redactionError: null };
  } catch (error) {
    const { principal: _, ...redacted } = changeFreeFields(action, () => undefined);
    if (redacted.type === 'memory_read') delete redacted.filter;
    return { redacted, redactionError: error instanceof Error ? error : new Error(String(error)) };
  }
}

function reported(
  at: number,
  incoming: Incoming,
  { tenant, outcome, reportedBy: { keyId, mayRelease } }: Extract<ReadIncoming, { kind: 'outcome' }>,
  context: AnswerContext,
): Reported {
  const request = {
    op: 'settle' as const,
    source: incoming.source,
    tenant,
    agentId: outcome.agentId,
    actionId: outcome.actionId,
    attempt: outcome.attempt ?? 1,
    status: outcome.status,
    actualMicros: outcome.actualCostMicros ?? null,
    ...(outcome.usage !== undefined && { usage: outcome.usage }),
    ...(outcome.toolCalls !== undefined && { toolCalls: toolCallsIn(outcome.toolCalls) }),
    verified: outcome.verification?.ok ?? null,
    maxRemembered: context.maxRemembered?.(tenant) ?? DEFAULTS.rememberedIds,
    mayRelease,
  };
  return { at, incoming, outcome, keyId, request };
}

/** @param atMs the time to plan for; null: the plan must be valid at any time */
function operationOf(
  item: Asked | Reported,
  mandates: MandatesInForce,
  atMs: number | null,
  finders: AnswerContext['finders'],
): Operation {
  if ('outcome' in item) return item.request;
  const span = item.incoming.span?.child('plan');
  const plan = { ...planFor(item, mandates, atMs, finders), controlRevision: mandates.revision };
  span?.end();
  return { op: 'decide', ...item.request, plan };
}

function planFor(
  { action, redacted, redactionError, request }: Asked,
  mandates: MandatesInForce,
  atMs: number | null,
  finders: AnswerContext['finders'],
): Plan {
  if (redactionError !== null) return internalError(null, redactionError);
  if (atMs === null) return internalError(null, new Error('what it may do changes at every moment'));
  try {
    return planInForce(mandates, request.tenant, action, atMs, redacted, finders);
  } catch (error) {
    return internalError(null, error);
  }
}

function answerOf(item: Asked | Reported, result: Exclude<StepResult, { kind: 'replan' }>): Answer {
  const key = agentKey(item.request.tenant, item.request.agentId);
  if (result.kind === 'published') return { kind: 'published' };
  if (result.kind === 'settled' && 'outcome' in item) {
    const { request, outcome, keyId, incoming } = item;
    const span = incoming.span?.child('settle');
    const record = settlementRecord({
      request,
      outcome,
      keyId,
      appendedAtMs: incoming.appendedAtMs,
      facts: result.facts,
      sha256,
    });
    span?.end();
    return { kind: 'record', key, record };
  }
  if (result.kind === 'decided' && 'action' in item) {
    const { request, redacted, incoming } = item;
    const span = incoming.span?.child('decide');
    const record = decisionRecord({
      request,
      action: redacted,
      plan: result.plan,
      facts: result.facts,
      sha256,
    });
    span?.end();
    return { kind: 'record', key, record };
  }
  throw new Error(`the ledger answered ${result.kind} to another kind of operation`);
}
