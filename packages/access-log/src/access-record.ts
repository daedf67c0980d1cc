/** Who asked for what, as a record of the access topic. */
import { randomBytes } from 'node:crypto';
import type { Outgoing } from '@mandate/bus';
import { type AccessRecord, type AuditRead, recordHeaders, sortableId, wireTime } from '@mandate/schemas';

export type Read = Omit<AuditRead, 'id' | 'at' | 'traceId'>;

/** Refusals that one record may stand for: of the same key at the same route. */
export function sameAs({ tenant, key, method, route }: Read): string {
  return JSON.stringify([tenant, key?.id, method, route]);
}

/** How many requests were refused, where one record stands for several. */
export function together(read: Read, times: number): Read {
  return times === 1 ? read : { ...read, parameters: { ...read.parameters, refusals: `${times}` } };
}

/** @param source who writes it, such as `query` */
export function accessRecord(
  read: Read,
  { source, traceparent, atMs }: { source: string; traceparent: string | null; atMs: number },
): Outgoing {
  const id = sortableId('read', atMs, randomBytes(10).toString('hex'));
  const event: AccessRecord = {
    event: 'audit.read',
    read: { id, ...read, traceId: traceparent?.split('-')[1] ?? null, at: wireTime(atMs) },
  };
  // Its trace is told of and not continued: how the note gets into the tables is no part of what was asked.
  const headers = recordHeaders({ id, event: event.event }, { source, traceparent: null });
  return { key: read.tenant, partition: 0, value: JSON.stringify(event), headers };
}
