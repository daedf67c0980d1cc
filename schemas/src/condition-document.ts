/**
 * The conditions under which a rule applies. They read the agent, the action and its context. `{ field, op, value }`
 * compares one field. `{ all: […] }`, `{ any: […] }` and `{ not: […] }` (none of them is true) combine conditions.
 */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';

/** The first parts of field names: `agent.groups`, `action.tool`, `context.environment`. */
export const CONDITION_ROOTS = ['agent', 'action', 'context'] as const;

const ROOTS: ReadonlySet<string> = new Set(CONDITION_ROOTS);

const step = z.string().min(1).max(CAPS.idUnits);

/** A field as text with dots, or as a list of names if a name contains a dot. */
const field = z.union([
  z
    .string()
    .max(CAPS.idUnits * 4)
    .regex(/^(?:agent|action|context)(?:\.[^.]+)+$/, {
      error: 'must be a field of agent, action or context: context.environment',
    }),
  z
    .array(step)
    .min(2)
    .refine(([root = '']) => ROOTS.has(root), { error: 'must begin with agent, action or context' }),
]);

const text = z.string().max(CAPS.conditionUnits);
const value = z.union([text, z.number(), z.boolean()]);
const scalar = z.union([text, z.number(), z.boolean(), z.null()]);
export type Scalar = z.infer<typeof scalar>;
const scalars = z.array(scalar).min(1).max(CAPS.conditionValues);

const COMPARED = 'The value that the field is compared with.';

const comparison = <Op extends string, Value extends z.ZodType>(ops: readonly [Op, ...Op[]], value: Value) =>
  z.strictObject({
    field: described(
      field,
      `A field of ${CONDITION_ROOTS.join(', ')}: \`context.environment\`, or a list of its steps.`,
      'context.environment',
    ),
    op: described(z.enum(ops), 'How the field is compared with the value.'),
    value,
  });

const fieldCondition = z.discriminatedUnion('op', [
  comparison(['==', 'contains'], described(scalar, COMPARED, 'prod')),
  // The operator `!=` does not accept null as a value. It would never be true: a null field does not differ from
  // null, and for an absent field the condition is unknown.
  comparison(['!='], described(value, COMPARED, 'prod')),
  comparison(
    ['in', 'not_in'],
    described(scalars, 'The values that the field may or may not have.', ['prod', 'staging']),
  ),
  comparison(['>', '>=', '<', '<='], described(z.number(), COMPARED, 100)),
  comparison(
    ['matches', 'starts_with'],
    described(text, 'A pattern, or the beginning of a text.', 'refund_'),
  ),
  comparison(
    ['exists'],
    described(z.boolean().default(true), 'Whether the field must exist. Default: true.', true),
  ),
]);
export type FieldCondition = z.output<typeof fieldCondition>;

export type Condition =
  | FieldCondition
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: readonly Condition[] };

const several = z.array(z.lazy(() => condition)).max(CAPS.conditions);

export const condition: z.ZodType<Condition> = z.union([
  fieldCondition,
  z.strictObject({
    all: described(several, 'All of these conditions must hold.', [
      { field: 'context.environment', op: '==', value: 'prod' },
    ]),
  }),
  z.strictObject({
    any: described(several, 'At least one of these conditions must hold.', [
      { field: 'agent.groups', op: 'contains', value: 'support' },
    ]),
  }),
  z.strictObject({
    not: described(several, 'None of these conditions may hold.', [
      { field: 'action.tool', op: 'starts_with', value: 'delete_' },
    ]),
  }),
]);
