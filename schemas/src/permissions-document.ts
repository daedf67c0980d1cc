/**
 * The permissions of a manifest (`policy.yaml`): who may use which tool, what may be read and remembered, what may go
 * in and out, and what the audit marks. An unknown field is an error.
 */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { auditDocument, guardrailsDocument } from './guardrails-document.ts';
import { description, documentName, duration, ids, version } from './manifest-fields.ts';
import { memoryPoliciesDocument } from './memory-policies-document.ts';
import { LONGEST_WINDOW, RATE_PATTERN, readRate } from './rate-text.ts';
import { id } from './scalars.ts';
import { withCode } from './shape-fault.ts';

const role = z.strictObject({
  id: described(id, 'The id of the role.', 'premium'),
  description,
  level: described(z.int().min(0).optional(), 'The rank of the role, for people. It grants nothing.', 2),
});

const rateText = z
  .string({ error: ({ input }) => rateMessage(input) })
  .check(({ value, issues }) => {
    const read = readRate(value);
    if (read.ok) return;
    issues.push({ code: 'custom', input: value, message: read.message, ...withCode(read.code) });
  })
  .meta({ pattern: RATE_PATTERN });

function rateMessage(input: unknown): string | undefined {
  const read = readRate(input);
  return read.ok ? undefined : read.message;
}

const rateLimit = z.union([
  rateText,
  z.strictObject({
    requests: described(
      z.int().min(0).max(CAPS.rateCalls),
      'The most calls in any window. 0: none at all.',
      20,
    ),
    window: described(duration(LONGEST_WINDOW), 'The length of the sliding window, at most 31 days.', '1h'),
  }),
]);

const toolPermission = z.strictObject({
  allowed_roles: described(
    ids,
    'The roles that may use the tool. If the list is empty, nobody may use the tool.',
    ['premium'],
  ),
  rate_limit: described(
    rateLimit.optional(),
    'How often each person may call the tool. Default: no limit.',
    { requests: 20, window: '1h' },
    '5/hour',
  ),
  requires_confirmation: described(
    z.boolean().optional(),
    'True if a person must confirm each call. Default: `sensitive` of the tool.',
    true,
  ),
  audit_log: described(z.boolean().default(true), 'Has no effect: every decision is on the record.', true),
});

export const permissionsDocument = z
  .strictObject({
    version,
    name: described(documentName, 'The id of the policy that these permissions become.', 'tutor-policy'),
    description,
    roles: described(
      z.array(role).min(1, { error: 'must have at least one role' }),
      'The roles that people may have. A person with another role is refused.',
      [{ id: 'user' }],
    ),
    tool_permissions: described(
      z.record(id, toolPermission),
      'Who may use each tool. Nobody may use a tool without an entry.',
      { create_study_flashcards: { allowed_roles: ['user'] } },
    ),
    memory_policies: described(
      memoryPoliciesDocument.optional(),
      'What is read from memory, and what is saved.',
    ),
    guardrails: described(guardrailsDocument.optional(), 'The limits of prompts, answers and turns.'),
    audit: described(auditDocument.optional(), 'What the audit marks, and what it must not contain.'),
  })
  .meta({
    title: 'permissions',
    description: 'What is allowed: roles, tools, memory, guardrails and audit of a manifest.',
  });
export type PermissionsDocument = z.infer<typeof permissionsDocument>;
