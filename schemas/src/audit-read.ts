/** What stands in the access topic: who read what of the audit. */
import { z } from 'zod';
import { id, tenant, time } from './scalars.ts';

export const auditRead = z
  .object({
    event: z.literal('audit.read'),
    read: z.object({
      id,
      /** The tenant of the key, which is the tenant of the record that was read; null if the key has no tenant. */
      tenant: tenant.nullable(),
      /**
       * Who read: an API key belongs to one person, or one program. In a refusal as UNAUTHENTICATED the key was revoked,
       * or only its id was given, which is no secret. null: no key was given, or a key that this plane never issued.
       */
      key: z.object({ id: z.string(), name: z.string() }).nullable(),
      method: z.string(),
      /** The path with the names of its parameters: `/v1/audit/decisions/:id`. */
      route: z.string(),
      /** The parameters of path and query, by name. Personal data found in them is redacted, and long values are cut. */
      parameters: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
      /** Nothing was shown, nor done. */
      refused: z.boolean(),
      /** Why: the code of the problem. Absent where it was not refused, or by an earlier version. */
      code: z.string().optional(),
      requestId: z.string(),
      traceId: z.string().nullable(),
      at: time,
    }),
  })
  .meta({
    title: 'audit.read',
    description: 'Somebody asked the audit for something. On the log before the first byte of the answer.',
  });
export type AccessRecord = z.infer<typeof auditRead>;
export type AuditRead = AccessRecord['read'];

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws on anything else. */
export function readAccessRecord(value: Uint8Array): AccessRecord {
  return auditRead.parse(JSON.parse(utf8.decode(value)));
}
