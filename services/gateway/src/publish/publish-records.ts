/**
 * Brings what callers submit to the log, and waits there for the answers. Shared by actions and outcomes: the two
 * differ in what they say, not in how they travel.
 */
import type { Outgoing } from '@mandate/bus';
import {
  callerOf,
  HttpProblem,
  inTurns,
  isMandateError,
  laneOf,
  produced,
  rawBody,
  type Span,
} from '@mandate/runtime';
import {
  type ActionsRecord,
  agentKey,
  type ListedFault,
  type Pinned,
  readActionsRecord,
  recordHeaders,
  type Source,
  TOPICS,
} from '@mandate/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, sourceOf } from '../answers/recent-answers.ts';
import type { Gateway } from '../gateway.ts';
import { mustSpeakFor } from '../own-agents.ts';
import { mustNotBeHeld } from '../refusals/hold-refused.ts';
import { badRecord, badRecords, LISTED, readSubmission, type SubmissionSchemas } from './read-submission.ts';

/** One record on its way: what was made of a caller's item, and where it lies now. */
export type Published<T> = { item: T; source: Source; answer: Answer | null };

/** `fingerprint`: of what was redacted from it. `pinned`: what of it the caller's key fixes. */
type ToPublish = { record: ActionsRecord; fingerprint: string | null; pinned?: Pinned | null };

/** As it was made from a caller's item. */
export type Made = Pick<ToPublish, 'record' | 'fingerprint'>;

export type Route<T> = {
  code: 'INVALID_ACTION' | 'INVALID_OUTCOME';
  /** Whether deciders may refuse them: then agents that were refused too often are held back. */
  canBeRefused: boolean;
  schemas: SubmissionSchemas<T>;
  /** The record to publish: with the caller's tenant, redacted. */
  recordOf(item: T, submission: { tenant: string; many: boolean }): ToPublish;
  /** The answer that stands already: then the record is not published. null: none does. */
  answerNow?(made: Made, tenant: string): Promise<Answer | null>;
};

/** @param waitMs 0: answers are not waited for */
export async function publishRecords<T extends { tenant?: string | undefined; agentId: string }>(
  gateway: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
  { route, waitMs }: { route: Route<T>; waitMs: number },
): Promise<{ many: boolean; published: readonly Published<T>[]; appended: number }> {
  const key = callerOf(request);
  const lane = laneOf(request);
  // Before anything is made of the body: what comes of it could not be published.
  request.mustHaveRoom('publish', { records: 1, bytes: 1 });
  const { many, items } = await inTurns(lane, readSubmission(rawBody(request), route.schemas, route.code));
  for (const item of items) mustSpeakFor(key, item);
  const records = await inTurns(lane, recordsOf(items, route, { tenant: key.tenant, many }));
  const known = await Promise.all(
    records.map(
      async ({ record, fingerprint }) => route.answerNow?.({ record, fingerprint }, key.tenant) ?? null,
    ),
  );
  const unknown = items.flatMap((item, index) => {
    const written = records[index];
    return known[index] || written === undefined ? [] : [{ item, index, written }];
  });
  const unknownItems = unknown.map(({ item }) => item);
  const counts = route.canBeRefused ? mustNotBeHeld(gateway, key.tenant, unknownItems) : null;
  request.spend('publish', { records: unknown.length, bytes: bytesOf(unknown) });
  const span =
    unknown.length === 0 ? null : request.span && appending(request.span, gateway.bus, key.tenant, items);
  const traceparent = span?.traceparent ?? request.traceparent;
  const outgoing = unknown.map(({ item: { agentId }, index, written }) => {
    const id = records.length === 1 ? request.id : `${request.id}-${index}`;
    const { record, value, ...of } = written;
    const named = { id, event: record.event };
    return {
      key: agentKey(key.tenant, agentId),
      value,
      headers: recordHeaders(named, { source: 'gateway', traceparent, ...of }),
    };
  });

  const places = gateway.board.take(waitMs > 0 ? unknown.length : 0, { tenant: key.tenant, key: key.id });
  try {
    if (counts !== null) gateway.refused.sent(key.tenant, counts);
    const sources = unknown.length === 0 ? [] : await append(gateway, outgoing, span);
    const answers = waitMs > 0 ? await places.answers(sources, waitMs, goneSignal(reply)) : [];
    const placeOf = new Map(unknown.map(({ index }, at) => [index, at]));
    const published = items.flatMap((item, index): Published<T>[] => {
      const answer = known[index];
      if (answer) return [{ item, source: sourceOf(answer), answer }];
      const at = placeOf.get(index) ?? -1;
      const source = sources[at];
      return source === undefined ? [] : [{ item, source, answer: answers[at] ?? null }];
    });
    return { many, published, appended: sources.length };
  } finally {
    places.leave();
  }
}

/** All records of a list go on below one span: they were sent with one request, and appended at once. */
function appending(
  request: Span,
  { system }: Gateway['bus'],
  tenant: string,
  items: readonly { agentId: string }[],
): Span {
  const span = request.child(`append ${TOPICS.actions}`, produced(system, TOPICS.actions, items.length));
  const [first] = items;
  const isOfOne = first !== undefined && items.every(({ agentId }) => agentId === first.agentId);
  span.set({ 'mandate.tenant': tenant, ...(isOfOne && { 'mandate.agent.id': first.agentId }) });
  return span;
}

type Written = ToPublish & { value: string };

function bytesOf(unknown: readonly { written: Written }[]): number {
  return unknown.reduce((bytes, { written }) => bytes + Buffer.byteLength(written.value), 0);
}

/**
 * What is published is read first as the decider will read it, so that nothing that was accepted becomes a dead letter.
 * The record is not the text that the caller sent: a place in it would mislead. Yields after each record.
 */
function* recordsOf<T>(
  items: readonly T[],
  { recordOf, code }: Route<T>,
  submission: { tenant: string; many: boolean },
): Generator<void, readonly Written[]> {
  const written: Written[] = [];
  const faults: ListedFault[] = [];
  let wrong = 0;
  for (const [index, item] of items.entries()) {
    const { record, fingerprint, pinned = null } = recordOf(item, submission);
    const value = JSON.stringify(record);
    written.push({ record, value, fingerprint, pinned });
    const read = readActionsRecord(Buffer.from(value));
    if (!read.ok) {
      wrong += 1;
      if (faults.length < LISTED) faults.push({ ...read.fault, pointer: '', line: 1, column: 1, index });
    }
    yield;
  }
  const [first] = faults;
  if (first === undefined) return written;
  throw submission.many ? badRecords(code, faults, { wrong, records: items.length }) : badRecord(code, first);
}

async function append(
  gateway: Gateway,
  records: readonly Outgoing[],
  span: Span | null,
): Promise<readonly Source[]> {
  try {
    const acknowledged = await gateway.bus.append(TOPICS.actions, records);
    return acknowledged.map(({ coordinate: { topic, partition, offset } }) => ({
      topic,
      partition,
      offset: String(offset),
    }));
  } catch (error) {
    span?.fail(error);
    throw logAway(error);
  } finally {
    span?.end();
  }
}

function logAway(cause: unknown): unknown {
  if (!isMandateError(cause) || cause.code === 'BUS_MISUSED') return cause;
  return new HttpProblem(
    503,
    cause.code,
    `the log did not acknowledge (${cause.message}): what was sent may or may not be on it`,
    {
      remedy:
        'Send the same again, with the same ids: what is on the log already is not decided or charged twice.',
      headers: { 'retry-after': '1' },
      cause,
    },
  );
}

/** Given to `abort`: else it makes an error with a stack, which took 5 µs after every answer. */
const CLOSED = new Error('the connection is closed');

/** Aborts when the caller hangs up before it was answered. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort(CLOSED));
  return gone.signal;
}
