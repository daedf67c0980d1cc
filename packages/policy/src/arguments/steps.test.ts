/** Tests that checking arguments stops when the step budget is used up, whatever the schema contains. */

import { CAPS } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { argumentRulesOnDemand, compileArgumentRules } from './argument-rules.ts';
import { patternSize } from './pattern-size.ts';
import { patternToRe2 } from './pattern-to-re2.ts';

const MANY = Array.from({ length: CAPS.elements }, () => 0);
const elements = (items: object) => ({ type: 'object', properties: { a: { type: 'array', items } } });
const times = (count: number, make: (at: number) => unknown) =>
  Array.from({ length: count }, (_, at) => make(at));

test.each<[string, object, unknown]>([
  [
    'the most choices that a schema may have, for each of many elements',
    elements({ anyOf: times(300, (at) => ({ const: 300 - at - 1 })) }),
    MANY,
  ],
  [
    'many types for each of many elements',
    elements({ anyOf: times(300, (at) => ({ type: at < 299 ? 'string' : 'number' })) }),
    MANY,
  ],
  ['many schemas that are true', elements({ allOf: times(300, () => true) }), MANY],
  ['many choices that are false', elements({ oneOf: [...times(300, () => false), true] }), MANY],
  [
    'a thousand comparisons with a long list',
    { type: 'object', properties: { a: { allOf: times(1_000, () => ({ not: { const: [] } })) } } },
    MANY,
  ],
  [
    '300 searches through a long list',
    {
      type: 'object',
      properties: {
        a: { type: 'array', allOf: times(300, () => ({ type: 'array', contains: { const: 1 } })) },
      },
    },
    MANY.concat(1),
  ],
  [
    '300 checks of uniqueItems',
    {
      type: 'object',
      properties: { a: { allOf: times(300, () => ({ type: 'array', uniqueItems: true })) } },
    },
    MANY.map((_, at) => at),
  ],
  [
    'patterns on a long text',
    {
      type: 'object',
      properties: { a: { allOf: times(20, () => ({ type: 'string', pattern: '(a|b)*a(a|b){100}[cd]' })) } },
    },
    'ab'.repeat(CAPS.stringUnits / 2),
  ],
])('stops at the end of the step budget: %s', (_, schema, a) => {
  const rules = compileArgumentRules({ schema: schema as Record<string, unknown> });
  if (!rules.ok) throw new Error(JSON.stringify(rules.faults));
  const stepBudget = stepBudgetOfAction();
  rules.validate({ a }, stepBudget);
  expect(stepBudget.left).toBeLessThan(0);
  const few = stepBudgetOfAction();
  rules.validate({ a: typeof a === 'string' ? 'ab' : [0, 1] }, few);
  expect(few.left).toBeGreaterThan(CAPS.stepsPerAction * 0.9);
});

test('named validators pay for the length of each text', () => {
  const rules = compileArgumentRules({ validators: times(32, () => 'noSystemPaths') as string[] });
  if (!rules.ok) throw new Error(JSON.stringify(rules.faults));
  const stepBudget = stepBudgetOfAction();
  expect(rules.validate({ a: 'see the docs '.repeat(5_000) }, stepBudget)).toBeNull();
  expect(stepBudget.left).toBeLessThan(0);
});

test('charges every call the same for a schema, although only the first call compiles it', () => {
  const rules = argumentRulesOnDemand({ schema: elements({ type: 'number' }) });
  const taken = [0, 1].map(() => {
    const stepBudget = stepBudgetOfAction();
    expect(rules.validate({ a: [1, 'x'] }, stepBudget)?.pointer).toBe('/a/1');
    return stepBudget.left;
  });
  expect(taken[0]).toBe(taken[1]);
  const none = { left: 10 };
  expect(rules.validate({ a: [1, 'x'] }, none)).toBeNull();
  expect(none.left).toBeLessThan(0);
});

test("the engine's program for a pattern is at most as large as the computed size", () => {
  const atom = fc.constantFrom(
    'a',
    '\\s',
    '\\p{L}',
    '[ab]',
    '[^a\\s]',
    '.',
    '\\b',
    '^',
    '\\u{1F600}',
    '[\\]\\p{Lu}(]',
  );
  const quantifier = fc.constantFrom('', '', '*', '+?', '?', '{0}', '{3}', '{2,}', '{1,7}', '{0,9}?');
  const isZeroWidth = (source: string) => source === '^' || source === '\\b';
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    piece: fc.oneof(
      { maxDepth: 3 },
      fc.tuple(atom, quantifier).map(([one, often]) => (isZeroWidth(one) ? one : one + often)),
      fc
        .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), quantifier)
        .map(([open, inner, often]) => `${open.replace('(?<n>', '(')}${inner})${often}`),
    ),
    pattern: fc
      .array(fc.array(tie('piece'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((choices) => choices.map((pieces) => pieces.join('')).join('|')),
  }));
  fc.assert(
    fc.property(pattern, (source) => {
      let size: number;
      try {
        size = patternSize(source);
      } catch {
        return;
      }
      expect(RE2JS.compile(patternToRe2(source)).programSize()).toBeLessThanOrEqual(size);
    }),
    { numRuns: runs(300) },
  );
});
