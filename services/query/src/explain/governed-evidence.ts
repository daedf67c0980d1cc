/** The evidence of the checks of manifests (packages/policy/src/checks/governed), and of turns and roles. */
import { z } from 'zod';

const names = z.array(z.string());
const length = z.object({ length: z.int(), maxLength: z.int() });

/** Each refusal has its own fields, and no other check has more kinds of refusal. */
const category = z.object({
  /** Only of an allowed operation, which has no other field. */
  operation: z.string().optional(),
  store: z.string().optional(),
  field: z.string().optional(),
  origin: z.string().optional(),
  permission: z.enum(['create', 'update', 'delete']).optional(),
  category: z.string().optional(),
  under: z.string().optional(),
  /** The category that sets the policy. null: no policy limits it, as the length of a description. */
  from: z.string().nullable().optional(),
  length: z.int().optional(),
  most: z.int().optional(),
});

export const GOVERNED_READERS = {
  'role-known': z.object({ role: z.string().nullable(), roles: names.default([]) }),
  'role-allowed': z.object({ tool: z.string(), role: z.string().nullable(), roles: names.default([]) }),
  'input-length': length,
  'output-length': length,
  /** `pattern` counts from 1, in the order of the policy. */
  'input-patterns': z.object({ patterns: z.int().optional(), pattern: z.int().optional() }),
  intent: z
    .object({ intent: z.string(), by: z.enum(['keyword', 'pattern', 'fallback']), length: z.int() })
    .transform(({ by, ...rest }) => ({ ...rest, trigger: by })),
  'argument-defaults': z
    .object({ filled: names })
    .nullable()
    .transform((given) => given ?? { filled: [] }),
  'read-choices': z.object({
    chosen: names.default([]),
    rule: z.string().optional(),
    field: z.string().optional(),
  }),
  'read-isolation': z.unknown().transform(() => ({})),
  'stores-allowed': z.object({
    turnId: z.string().nullable().optional(),
    intent: z.string().nullable().optional(),
    stores: names.default([]),
  }),
  'saves-decided': z.object({
    decidedBy: z.string().optional(),
    stores: names.default([]),
    /** The store that the specialist may not write. */
    store: z.string().optional(),
  }),
  'output-content': z.object({ redactions: z.int().optional(), blocked: names.default([]) }),
  'category-policies': category,
  turn: z.object({
    turnId: z.string().nullable(),
    intent: z.string().nullable(),
    openedAtMs: z.int().nullable(),
    calls: z.int().optional(),
    maxCalls: z.int().nullable().optional(),
    timeoutMs: z.int().nullable(),
    /** Why the turn refuses the call. Absent: it does not. */
    fails: z.enum(['unknown', 'person', 'timeout', 'intent', 'calls']).optional(),
  }),
};
