/** What stands in the access topic: who read what of the audit. */
import { z } from 'zod';
import { id, tenant, time } from './scalars.ts';

export const auditRead = z
  .object({
    event: z.literal('audit.read'),
    read: z.object({
      id,
      /** Whose record was read: the tenant of the key; null where that is nobody's. */
      tenant: tenant.nullable(),
      /**
       * Who read: an API key is one person's, or one program's. Refused as UNAUTHENTICATED, it was revoked, or only its id was
       * shown, which is no secret; null where none was shown, or one that nobody here ever had.
       */
      key: z.object({ id: z.string(), name: z.string() }).nullable(),
      method: z.string(),
      /** The path with the names of its parameters: `/v1/audit/decisions/:id`. */
      route: z.string(),
      /** Of path and query, by name; what personal data was found in them is redacted, and long values are cut. */
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
