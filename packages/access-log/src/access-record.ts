/** A record of the access topic: one read, or one refused request. */
import { randomBytes } from 'node:crypto';
import type { Outgoing } from '@mandate/bus';
import { type AccessRecord, type AuditRead, recordHeaders, sortableId, wireTime } from '@mandate/schemas';

export type Read = Omit<AuditRead, 'id' | 'at' | 'traceId'>;

/**
 * Returns a text that is equal for refusals of the same key at the same route. Such refusals may share one record.
 */
export function sameAs({ tenant, key, method, route }: Read): string {
  return JSON.stringify([tenant, key?.id, method, route]);
}

/**
 * Returns one record for several refusals of the same kind. Its parameter `refusals` is the number of refused
 * requests.
 */
export function together(read: Read, times: number): Read {
  return times === 1 ? read : { ...read, parameters: { ...read.parameters, refusals: `${times}` } };
}

/** @param source the service that writes the record, such as `query` */
export function accessRecord(
  read: Read,
  { source, traceparent, atMs }: { source: string; traceparent: string | null; atMs: number },
): Outgoing {
  const id = sortableId('read', atMs, randomBytes(10).toString('hex'));
  const event: AccessRecord = {
    event: 'audit.read',
    read: { id, ...read, traceId: traceparent?.split('-')[1] ?? null, at: wireTime(atMs) },
  };
  // The record contains the trace id of the request, but no `traceparent`. Later work on the record does not belong
  // to the trace of the request.
  const headers = recordHeaders({ id, event: event.event }, { source, traceparent: null });
  return { key: read.tenant, partition: 0, value: JSON.stringify(event), headers };
}
