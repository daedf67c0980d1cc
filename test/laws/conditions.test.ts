/**
 * Tests that a condition has three values. A comparison of values of different types is unknown, even under `not`.
 */

import { compileCondition, stepBudgetOfAction } from '@mandate/policy';
import { type Action, condition } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/** The values of Kleene's logic: false, unknown, true. */
type Truth = -1 | 0 | 1;

const scalars = fc.constantFrom<unknown>('production', 'prod', '', '1', 1, 0, 1.5, true, false, null);
const values = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.constantFrom<unknown>({}, { a: 'production' }, [['production']], [{}]),
  fc.constant(undefined),
);
const texts = fc.constantFrom('production', 'prod', '', '1');
const field = fc.constantFrom('context.a', 'context.b', 'context.b.a');
const list = fc.array(scalars, { minLength: 1, maxLength: 3 });
const one = fc.oneof(
  fc.record({ field, op: fc.constantFrom('==', 'contains'), value: scalars }),
  fc.record({ field, op: fc.constant('!='), value: scalars.filter((value) => value !== null) }),
  fc.record({ field, op: fc.constantFrom('in', 'not_in'), value: list }),
  fc.record({ field, op: fc.constantFrom('>', '>=', '<', '<='), value: fc.constantFrom(0, 1, 2) }),
  fc.record({ field, op: fc.constantFrom('starts_with', 'matches'), value: texts }),
  fc.record({ field, op: fc.constant('exists'), value: fc.boolean() }),
);
type Drawn =
  | { field: string; op: string; value: unknown }
  | { all: Drawn[] }
  | { any: Drawn[] }
  | { not: Drawn[] };
const { drawn } = fc.letrec<{ drawn: Drawn }>((tie) => {
  const several = fc.array(tie('drawn'), { maxLength: 3 });
  return {
    drawn: fc.oneof(
      { maxDepth: 3 },
      one,
      fc.record({ all: several }),
      fc.record({ any: several }),
      fc.record({ not: several }),
    ),
  };
});

function reference(asked: Drawn, context: Record<string, unknown>): Truth {
  const each = (parts: Drawn[]) => parts.map((part) => reference(part, context));
  if ('all' in asked) return Math.min(1, ...each(asked.all)) as Truth;
  if ('any' in asked) return Math.max(-1, ...each(asked.any)) as Truth;
  if ('not' in asked) return -Math.max(-1, ...each(asked.not)) as Truth;
  const value = fieldIn(asked.field, context);
  if (asked.op === 'exists') return truth((value !== undefined) === asked.value);
  return value === undefined ? 0 : compared(value, asked.op, asked.value);
}

function compared(value: unknown, op: string, wanted: unknown): Truth {
  switch (op) {
    case '==':
      return equal(value, wanted);
    case '!=':
      return -equal(value, wanted) as Truth;
    // If the value has another type, the result is unknown. Otherwise the values are equal or not equal.
    case 'in':
      return membership(value, wanted as unknown[]);
    case 'not_in':
      return -membership(value, wanted as unknown[]) as Truth;
    case 'contains':
      if (Array.isArray(value))
        return Math.max(-1, ...value.map((element) => equal(element, wanted))) as Truth;
      return areTexts(value, wanted) ? truth(String(value).includes(String(wanted))) : 0;
    case 'starts_with':
      return areTexts(value, wanted) ? truth(String(value).startsWith(String(wanted))) : 0;
    case 'matches':
      return areTexts(value, wanted) ? truth(new RegExp(String(wanted)).test(String(value))) : 0;
    default:
      return typeof value === 'number' ? ordered(value, op, Number(wanted)) : 0;
  }
}

function ordered(value: number, op: string, limit: number): Truth {
  if (value === limit) return truth(op.endsWith('='));
  return truth(value > limit === op.startsWith('>'));
}

function membership(value: unknown, wanted: unknown[]): Truth {
  const same = wanted.filter((each) => equal(value, each) !== 0);
  if (same.length === 0) return 0;
  return Math.max(...same.map((each) => equal(value, each))) as Truth;
}

function equal(value: unknown, wanted: unknown): Truth {
  const kind = (one: unknown) => (one === null ? 'null' : typeof one);
  if (kind(value) === 'object' || kind(value) !== kind(wanted)) return 0;
  return truth(value === wanted);
}

function fieldIn(path: string, context: Record<string, unknown>): unknown {
  const [, name = '', inner] = path.split('.');
  const value = context[name];
  if (inner === undefined) return value;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>)[inner] : undefined;
}

function areTexts(...all: unknown[]): boolean {
  return all.every((one) => typeof one === 'string');
}

function truth(is: boolean): Truth {
  return is ? 1 : -1;
}

function holds(asked: Drawn, context: Record<string, unknown>): boolean | null {
  const given = Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
  const action = { id: 'i', agentId: 'a', type: 'tool_call', tool: 't', context: given } as unknown as Action;
  return compileCondition(condition.parse(asked)).holds({ agent: {}, action }, stepBudgetOfAction());
}

const contexts = fc.record({ a: values, b: values });

test('a condition is true, false or unknown, as in the reference evaluator', () => {
  const told = { true: 0, false: 0, null: 0 };
  fc.assert(
    fc.property(drawn, contexts, (asked, context) => {
      const is = holds(asked, context);
      told[`${is}`] += 1;
      expect(is).toBe([false, null, true][reference(asked, context) + 1]);
    }),
    { numRuns: runs(5_000) },
  );
  expect(Math.min(told.true, told.false, told.null)).toBeGreaterThan(hits(500));
});

test('`not` of a condition is unknown too if the condition compares values of different types', () => {
  fc.assert(
    fc.property(one, contexts, (asked, context) => {
      if (holds(asked, context) === null) expect(holds({ not: [asked] }, context)).toBeNull();
    }),
  );
  for (const value of [1, true, null, ['production'], {}]) {
    const asked = { field: 'context.a', op: '==', value: 'production' };
    expect(holds({ not: [asked] }, { a: value, b: 0 })).toBeNull();
  }
});
