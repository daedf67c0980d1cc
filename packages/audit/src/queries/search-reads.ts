/**
 * Reads of the audit of a tenant, with their readers, newest first. The page key is the id, which begins with the
 * time.
 */
import { id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';

export const searchReads = question({
  params: z.strictObject({
    /** The tenant. Empty text returns reads without a known key. */
    tenant: tenant.or(z.literal('')),
    keyId: id.optional(),
    route: id.optional(),
    /** Reads of these routes are left out. */
    notRoute: z.array(id).min(1).max(100).optional(),
    requestId: id.optional(),
    refused: z.boolean().optional(),
    ...period,
    before: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    id: z.string(),
    tenant: z.string().nullable(),
    keyId: z.string().nullable(),
    keyName: z.string().nullable(),
    method: z.string(),
    route: z.string(),
    /** JSON text that the recorder wrote. The recorder checked its content. */
    parameters: z.string().transform((json): Record<string, string | string[]> => JSON.parse(json)),
    refused: z.boolean(),
    code: z.string().nullable(),
    requestId: z.string(),
    traceId: z.string().nullable(),
    at: time,
    logTopic: z.string(),
    logPartition: z.int(),
    logOffset: z.int(),
  }),
  sql: (params) => `
    SELECT id, nullIf(audit_reads.tenant, '') AS tenant, nullIf(key_id, '') AS keyId, nullIf(key_name, '') AS keyName, method, route,
      parameters, refused, nullIf(audit_reads.code, '') AS code, request_id AS requestId,
      nullIf(trace_id, '') AS traceId, read_at AS at,
      log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset
    FROM audit_reads FINAL
    WHERE audit_reads.tenant = {tenant:String} AND NOT void${narrowed(params, {
      keyId: 'key_id = {keyId:String}',
      route: 'route = {route:String}',
      notRoute: 'NOT has({notRoute:Array(String)}, route)',
      requestId: 'request_id = {requestId:String}',
      refused: 'refused = {refused:Bool}',
      fromMs: "read_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
      toMs: "read_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
      before: 'id < {before:String}',
    })}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`,
});
