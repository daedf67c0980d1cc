/**
 * When a rule applies: conditions over the agent, the action and its context. `{ field, op, value }` says something of one
 * field, `{ all: […] }`, `{ any: […] }` and `{ not: […] }` (none of them) put conditions together.
 */
import { z } from 'zod';
import { CAPS } from './defaults.ts';

/** Where fields begin: `agent.groups`, `action.tool`, `context.environment`. */
export const CONDITION_ROOTS = ['agent', 'action', 'context'] as const;

const ROOTS: ReadonlySet<string> = new Set(CONDITION_ROOTS);

const step = z.string().min(1).max(CAPS.idUnits);

/** Dotted, or a list of steps where a name holds a dot itself. */
const field = z
  .union([
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
  ])
  .describe(`A field of ${CONDITION_ROOTS.join(', ')}: \`context.environment\`, or a list of its steps.`);

const text = z.string().max(CAPS.conditionUnits);
const value = z.union([text, z.number(), z.boolean()]);
const scalar = z.union([text, z.number(), z.boolean(), z.null()]);
export type Scalar = z.infer<typeof scalar>;
const scalars = z.array(scalar).min(1).max(CAPS.conditionValues);

const says = <Op extends string, Value extends z.ZodType>(ops: readonly [Op, ...Op[]], value: Value) =>
  z.strictObject({ field, op: z.enum(ops), value });

const fieldCondition = z.discriminatedUnion('op', [
  says(['==', 'contains'], scalar),
  // A value that is null differs from no null, and of one that is not null nothing is known: it would never be true.
  says(['!='], value),
  says(['in', 'not_in'], scalars),
  says(['>', '>=', '<', '<='], z.number()),
  says(['matches', 'starts_with'], text),
  says(['exists'], z.boolean().default(true)),
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
  z.strictObject({ all: several }),
  z.strictObject({ any: several }),
  z.strictObject({ not: several }),
]);
