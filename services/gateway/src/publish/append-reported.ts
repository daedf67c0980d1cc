import { isMandateError, produced } from '@mandate/runtime';
import { recordHeaders } from '@mandate/schemas';
import { HttpProblem, type HttpRequest } from '@mandate/server';
import type { Gateway } from '../gateway.ts';

/** A record that a program reported, in the form for the log. */
export type ReportedRecord = { key: string; id: string; event: string; value: string };

/**
 * Appends records that the plane only records. Repeats of a record must have the same key, so that they are in the same
 * partition, and the audit keeps the first.
 */
export async function appendReported(
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
