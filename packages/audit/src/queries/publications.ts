/**
 * Finds who published a policy version, such as `read-only@3`, and who set the tenant limits, such as `tenant
 * acme@7`. The number after `tenant acme@` is the revision of the change. A manifest makes versions of several policies.
 * A refused change made no version, so it is left out.
 */
import { described, id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';

export const publications = question({
  params: z.strictObject({ tenant, names: z.array(z.string()) }),
  row: z.object({
    /** The version in the form of the records, such as `read-only@3`. */
    name: z.string(),
    changeId: described(
      id,
      'The id of the change. `/v1/audit/control-events/{id}` returns its whole document.',
      'chg_issued',
    ),
    by: described(
      z.string().nullable(),
      'The person who made the change, with the id of the key. null: not recorded.',
      'ann (1bC2dE3fG4hI)',
    ),
    reason: described(
      z.string(),
      'Why, in the words of the author. Empty: the author did not say.',
      'the contract of January',
    ),
    publishedAt: described(time, 'When it was published.'),
  }),
  sql: () => `
    SELECT arrayJoin(arrayIntersect({names:Array(String)}, multiIf(
        event = 'tenant.put', [concat('tenant ', subject, '@', toString(revision))],
        event = 'manifest.published', JSONExtract(payload, 'policiesMade', 'Array(String)'),
        [concat(subject, '@', toString(policy_version))]))) AS name,
      id AS changeId, nullIf(made_by, '') AS by, reason, happened_at AS publishedAt
    FROM control_events FINAL
    WHERE tenant = {tenant:String} AND NOT void AND refusal = ''
      AND event IN ('policy.published', 'manifest.published', 'tenant.put')
    ORDER BY revision`,
});
