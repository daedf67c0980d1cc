/** A record of the access topic: who read which part of the audit. */
import { z } from 'zod';
import { described } from './described.ts';
import { id, tenant, time } from './scalars.ts';

export const auditRead = z
  .object({
    event: described(z.literal('audit.read'), 'The kind of the record.'),
    read: described(
      z.object({
        id: described(id, 'The id of the record.', 'read_01ke7t3v8c8d1f0a2b3c4d5e6f7a8b'),
        tenant: described(
          tenant.nullable(),
          'The tenant of the key, which is the tenant of the data that was read. null: the key has no tenant.',
          'acme',
        ),
        key: described(
          z
            .object({
              id: described(z.string(), 'The public id of the key.', 'kQ2mZ8xW4pLd'),
              name: described(z.string(), 'The name of the key, for people.', 'auditor'),
            })
            .nullable(),
          'The API key that read. If the code is UNAUTHENTICATED, the key was revoked, or the caller knew only its id, which is no secret. null: no key, or an unknown key.',
        ),
        method: described(z.string(), 'The HTTP method.', 'GET'),
        route: described(z.string(), 'The path with the names of its parameters.', '/v1/audit/decisions/:id'),
        parameters: described(
          z.record(z.string(), z.union([z.string(), z.array(z.string())])),
          'The parameters of path and query, by name. Personal data in them is redacted, and long values are cut.',
          { id: 'dec_01ke7t3v8c8d1f0a2b3c4d5e6f7a8b' },
        ),
        refused: described(
          z.boolean(),
          'Whether the request was refused, so that the caller received nothing.',
          false,
        ),
        code: described(
          z.string().optional(),
          'The code of the problem. Absent if the request was not refused, or if an earlier version wrote the record.',
          'FORBIDDEN',
        ),
        requestId: described(
          z.string(),
          'The id of the request in the log of the operator. The header `x-request-id` has it too.',
          '0b0f3f0e-6c1a-4a38-9b1a-2f7c55d0a9c1',
        ),
        traceId: described(
          z.string().nullable(),
          'The W3C trace id of the request. null: it has none.',
          '4bf92f3577b34da6a3ce929d0e0e4736',
        ),
        at: described(time, 'When the request came.'),
      }),
      'The key that read, and what it asked for.',
    ),
  })
  .meta({
    title: 'audit.read',
    description:
      'A caller read from the audit. The record is on the log before the first byte of the answer.',
  });
export type AccessRecord = z.infer<typeof auditRead>;
export type AuditRead = AccessRecord['read'];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a record of the access topic. Throws on any other content. */
export function readAccessRecord(value: Uint8Array): AccessRecord {
  return auditRead.parse(JSON.parse(utf8.decode(value)));
}
