import { inTurns, isMandateError, produced } from '@mandate/runtime';
import { type ApiKeyRecord, recordHeaders } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpRequest, laneOf, takeRawBody } from '@mandate/server';
import type { Gateway } from '../gateway.ts';

/** A record that a program reported, in the form for the log. */
export type ReportedRecord = { key: string; id: string; event: string; value: string };

/**
 * Reads records of a request that the plane only records, and appends them. Repeats of a record must have the same key,
 * so that they are in the same partition, and the audit keeps the first.
 *
 * @param read reads the body of the request, in short turns
 * @returns how many records are on the log
 */
export async function appendReported(
  gateway: Gateway,
  request: HttpRequest,
  topic: string,
  read: (key: ApiKeyRecord, body: Buffer) => Generator<void, readonly ReportedRecord[]>,
): Promise<{ recorded: number }> {
  request.mustHaveRoom('publish', { records: 1, bytes: 1 });
  await gateway.untilSealable();
  const records = await inTurns(laneOf(request), read(callerOf(request), takeRawBody(request)));
  const bytes = records.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  request.spend('publish', { records: records.length, bytes });
  await append(gateway, request, topic, records);
  return { recorded: records.length };
}

async function append(
  { bus }: Pick<Gateway, 'bus'>,
  request: HttpRequest,
  topic: string,
  records: readonly ReportedRecord[],
): Promise<void> {
  const span = request.span?.child(`append ${topic}`, produced(bus.system, topic, records.length));
  const traceparent = span?.traceparent ?? request.traceparent;
  try {
    await bus.append(
      topic,
      records.map(({ key, id, event, value }) => ({
        key,
        value,
        headers: recordHeaders({ id, event }, { source: 'gateway', traceparent }),
      })),
    );
  } catch (error) {
    span?.fail(error);
    throw logAway(error);
  } finally {
    span?.end();
  }
}

function logAway(cause: unknown): unknown {
  if (!isMandateError(cause) || cause.code === 'BUS_MISUSED') return cause;
  const message = `the log did not acknowledge (${cause.message}): the records may or may not be on it`;
  return new HttpProblem(503, cause.code, message, {
    remedy: 'Send the same records again. A record that is on the log already is not recorded twice.',
    headers: { 'retry-after': '1' },
    cause,
  });
}
