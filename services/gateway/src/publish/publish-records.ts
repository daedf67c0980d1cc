/**
 * Publishes the records of a request to the log, and waits for the answers. Actions and outcomes use the same code.
 */

import { inTurns, isMandateError, produced, type Span } from '@mandate/runtime';
import {
  type ActionsRecord,
  agentKey,
  CAPS,
  isWithinCaps,
  type ListedFault,
  type LogPosition,
  type Pinned,
  type Read,
  readActionsRecord,
  recordHeaders,
  TOPICS,
} from '@mandate/schemas';
import {
  callerOf,
  HttpProblem,
  type HttpReply,
  type HttpRequest,
  laneOf,
  takeRawBody,
  whenClosed,
} from '@mandate/server';
import { type Answer, sourceOf } from '../answers/recent-answers.ts';
import type { Gateway } from '../gateway.ts';
import { mustSpeakFor } from '../own-agents.ts';
import { mustNotBeHeld } from '../refusals/hold-refused.ts';
import { badRecord, badRecords, LISTED, readSubmission, type SubmissionSchemas } from './read-submission.ts';
import type { Admission } from './undecided-records.ts';

/**
 * A published record: the caller's item, the log position of its record, and the answer. `answer` is null if none
 * came in time.
 */
export type Published<T> = { item: T; source: LogPosition; answer: Answer | null };

/**
 * `fingerprint` is computed from the redacted values. `pinned` names the fields that the caller's key pins.
 * `isAsSent`: the record has only validated values of the caller and fields that the gateway adds.
 */
type ToPublish = {
  record: ActionsRecord;
  fingerprint: string | null;
  pinned?: Pinned | null;
  isAsSent: boolean;
};

/** A record that was made from a caller's item, and the fingerprint of the values that redaction removed. */
export type Made = Pick<ToPublish, 'record' | 'fingerprint'>;

export type Route<T> = {
  code: 'INVALID_ACTION' | 'INVALID_OUTCOME';
  /** True if deciders may refuse these records. Agents that were refused too often must then wait. */
  canBeRefused: boolean;
  schemas: SubmissionSchemas<T>;
  /** Returns the record to publish, redacted and with the caller's tenant. */
  recordOf(item: T, submission: { tenant: string; many: boolean }): ToPublish;
  /** Returns the answer if it already exists, otherwise null. A record with an existing answer is not published. */
  answerNow?(made: Made, tenant: string): Promise<Answer | null>;
};

/** @param waitMs how long to wait for the answers; 0: do not wait */
export async function publishRecords<T extends { tenant?: string | undefined; agentId: string }>(
  gateway: Gateway,
  request: HttpRequest,
  reply: HttpReply,
  { route, waitMs }: { route: Route<T>; waitMs: number },
): Promise<{ many: boolean; published: readonly Published<T>[]; appended: number }> {
  const key = callerOf(request);
  const lane = laneOf(request);
  // This check comes before the body is read: a caller without room to publish is refused at once.
  request.mustHaveRoom('publish', { records: 1, bytes: 1 });
  const { many, items } = await inTurns(
    lane,
    readSubmission(takeRawBody(request), route.schemas, route.code),
  );
  for (const item of items) mustSpeakFor(key, item);
  const records = await inTurns(lane, recordsOf(items, route, { tenant: key.tenant, many }));
  const known = await Promise.all(
    records.map(
      async ({ record, fingerprint }) => route.answerNow?.({ record, fingerprint }, key.tenant) ?? null,
    ),
  );
  const unknown = items.flatMap((item, index) => {
    const written = records[index];
    const id = many ? `${request.id}-${index}` : request.id;
    return known[index] || written === undefined ? [] : [{ item, index, id, written }];
  });
  const unknownItems = unknown.map(({ item }) => item);
  const counts = route.canBeRefused ? mustNotBeHeld(gateway, key.tenant, unknownItems) : null;
  const holder = { tenant: key.tenant, key: key.id };
  const gone = () => goneSignal(reply);
  const reserved = gateway.replies.reserve(waitMs > 0 ? unknown.length : 0, holder);
  let admission: Admission | null = null;
  try {
    if (unknown.length > 0)
      admission = await gateway.undecided.admit(holder, unknown.length, { waitMs, gone });
    request.spend('publish', { records: unknown.length, bytes: bytesOf(unknown) });
    if (counts !== null) gateway.refused.sent(key.tenant, counts);
    const sources = unknown.length === 0 ? [] : await append(gateway, request, unknown);
    admission?.published(sources);
    const answers = waitMs > 0 ? await reserved.answers(sources, waitMs, gone()) : [];
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
    reserved.release();
    admission?.release();
  }
}

type Written = {
  record: ActionsRecord;
  value: string;
  /** The number of bytes of the value. */
  bytes: number;
  fingerprint: string | null;
  pinned: Pinned | null;
};

/** An item that has no answer yet. `index` is its position in the request. */
type Unanswered = { item: { agentId: string }; index: number; id: string; written: Written };

function bytesOf(unknown: readonly Unanswered[]): number {
  return unknown.reduce((sum, { written: { bytes } }) => sum + bytes, 0);
}

/**
 * Makes the records of all items. If redaction or the key changed a record, the record is parsed again as deciders
 * parse it, so an accepted record cannot become a dead letter. The faults of such a record have no line number,
 * because its text differs from the caller's text. Yields after each record.
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
    const { isAsSent, record: made, fingerprint, pinned = null } = recordOf(item, submission);
    const value = JSON.stringify(made);
    const bytes = Buffer.byteLength(value);
    const isKnownGood = isAsSent && bytes <= CAPS.recordBytes && isWithinCaps(made);
    const read: Read<ActionsRecord> = isKnownGood
      ? { ok: true, value: made }
      : readActionsRecord(Buffer.from(value));
    if (read.ok) written.push({ record: read.value, value, bytes, fingerprint, pinned });
    else {
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
  { bus }: Pick<Gateway, 'bus'>,
  request: HttpRequest,
  unknown: readonly Unanswered[],
): Promise<readonly LogPosition[]> {
  const { tenant } = callerOf(request);
  const span = request.span && appending(request.span, bus, tenant, unknown);
  const traceparent = span?.traceparent ?? request.traceparent;
  try {
    const records = unknown.map(
      ({ item: { agentId }, id, written: { record, value, fingerprint, pinned } }) => ({
        key: agentKey(tenant, agentId),
        value,
        headers: recordHeaders(
          { id, event: record.event },
          { source: 'gateway', traceparent, fingerprint, pinned },
        ),
        written: record,
      }),
    );
    const acknowledged = await bus.append(TOPICS.actions, records);
    return acknowledged.map(({ position }) => position);
  } catch (error) {
    span?.fail(error);
    throw logAway(error);
  } finally {
    span?.end();
  }
}

/** Begins one span for all records of a list, because one request sent them and they are appended at once. */
function appending(
  request: Span,
  { system }: Gateway['bus'],
  tenant: string,
  unknown: readonly Unanswered[],
): Span {
  const span = request.child(`append ${TOPICS.actions}`, produced(system, TOPICS.actions, unknown.length));
  const [first] = unknown;
  const isOfOne = first !== undefined && unknown.every(({ item }) => item.agentId === first.item.agentId);
  span.set({ 'mandate.tenant': tenant, ...(isOfOne && { 'mandate.agent.id': first.item.agentId }) });
  return span;
}

function logAway(cause: unknown): unknown {
  if (!isMandateError(cause) || cause.code === 'BUS_MISUSED') return cause;
  return new HttpProblem(
    503,
    cause.code,
    `the log did not acknowledge (${cause.message}): the records may or may not be on it`,
    {
      remedy:
        'Send the same records again, with the same ids. A record that is on the log already is not decided or charged twice.',
      headers: { 'retry-after': '1' },
      cause,
    },
  );
}

/**
 * The reason that every abort gets. Without a reason, `abort` would make an error with a stack, which took 5 µs after
 * every answer.
 */
const CLOSED = new Error('the connection is closed');

/** Returns a signal that aborts if the caller disconnects before the answer. */
function goneSignal(reply: HttpReply): AbortSignal {
  const gone = new AbortController();
  whenClosed(reply.raw, () => gone.abort(CLOSED));
  return gone.signal;
}
