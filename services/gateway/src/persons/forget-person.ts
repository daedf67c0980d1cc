/**
 * Forgets a person: first on the log, then in this process. After a crash between the two the person is still
 * forgotten, because every gateway reads the log before it is ready. With the other order, other gateways would not
 * know, and a backup of the key file would restore the person. So nothing is done if the log does not accept the
 * event.
 */
import type { Command } from '@mandate/ledger';
import { isMandateError } from '@mandate/runtime';
import { type PersonErasure, type PersonsRecord, recordHeaders, TOPICS, wireTime } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import { indexIn, PERSONS_PARTITION } from './follow-erasures.ts';

/**
 * @returns when the person was forgotten
 * @throws HttpProblem ERASURE_NOT_ON_LOG. MandateError PERSON_KEYS_NOT_WRITTEN: the event is on the log, and writing
 *   the key file is retried
 */
export async function forgetPerson(
  { bus, personKeys, clock, log }: Pick<Gateway, 'bus' | 'personKeys' | 'clock' | 'log'>,
  { tenant, ref }: Pick<PersonErasure, 'tenant' | 'ref'>,
  { id, by, reason }: Command,
  traceparent: string | null,
): Promise<string> {
  const at = wireTime(clock());
  const record: PersonsRecord = { event: 'person.erased', erasure: { id, tenant, ref, by, reason, at } };
  const headers = recordHeaders({ id, event: record.event }, { source: 'gateway', traceparent });
  const value = JSON.stringify(record);
  try {
    await bus.append(TOPICS.persons, [{ key: tenant, partition: PERSONS_PARTITION, value, headers }]);
  } catch (cause) {
    throw notOnLog(cause);
  }
  await personKeys.erase([{ tenant, index: indexIn(ref) }]);
  log.warn({ tenant, ref, command: { id, by } }, 'a person was erased');
  return at;
}

function notOnLog(cause: unknown): unknown {
  if (!isMandateError(cause) || !cause.retryable) return cause;
  return new HttpProblem(
    503,
    'ERASURE_NOT_ON_LOG',
    `the log did not acknowledge (${cause.message}): the person may or may not be erased`,
    {
      remedy: 'Send the same request again until it succeeds. Persons who are erased already stay erased.',
      headers: { 'retry-after': '1' },
      cause,
    },
  );
}
