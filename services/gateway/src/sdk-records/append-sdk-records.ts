import { isMandateError, produced } from '@mandate/runtime';
import { agentKey, recordHeaders, TOPICS } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpRequest } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import type { MarkedRecord } from './read-sdk-records.ts';

/**
 * Appends the records to the topic of SDKs. The key of a record is its id. So a repeat is always in the same partition,
 * after the first, and the audit keeps the first.
 */
export async function appendSdkRecords(
  { bus }: Pick<Gateway, 'bus'>,
  request: HttpRequest,
  records: readonly MarkedRecord[],
): Promise<void> {
  const { tenant } = callerOf(request);
  const span = request.span?.child(
    `append ${TOPICS.sdkRecords}`,
    produced(bus.system, TOPICS.sdkRecords, records.length),
  );
  const traceparent = span?.traceparent ?? request.traceparent;
  try {
    await bus.append(
      TOPICS.sdkRecords,
      records.map(({ id, record, value }) => ({
        key: agentKey(tenant, id),
        value,
        headers: recordHeaders({ id, event: record.event }, { source: 'gateway', traceparent }),
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
