/** One read or refused request, as a record of the access topic. */
import { randomBytes } from 'node:crypto';
import type { Outgoing } from '@mandate/bus';
import { type AccessRecord, type AuditRead, recordHeaders, sortableId, wireTime } from '@mandate/schemas';

export type Read = Omit<AuditRead, 'id' | 'at' | 'traceId'>;

/** Refusals with the same text may share one record: the same key at the same route. */
export function sameAs({ tenant, key, method, route }: Read): string {
  return JSON.stringify([tenant, key?.id, method, route]);
}

/** The record for several refusals: it says how many requests were refused. */
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
  // The record names the trace and does not continue it: how the record gets into the tables is no part of the request.
  const headers = recordHeaders({ id, event: event.event }, { source, traceparent: null });
  return { key: read.tenant, partition: 0, value: JSON.stringify(event), headers };
}
