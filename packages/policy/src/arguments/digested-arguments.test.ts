import { CAPS, DIGESTED } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { compileCondition } from '../rules/condition.ts';
import { stepBudgetOfAction } from '../step-budget.ts';
import { type ArgumentValidation, compileArgumentRules } from './argument-rules.ts';

const content = {
  [DIGESTED]: { type: 'string', sha256: 'ab'.repeat(32), length: CAPS.stringUnits + 1, prefix: 'hello' },
};
const args = { path: '/tmp/a', content };

function faultOf(validation: ArgumentValidation, given: unknown = args) {
  const rules = compileArgumentRules(validation);
  if (!rules.ok) throw new Error(JSON.stringify(rules.faults));
  return rules.validate(given, stepBudgetOfAction());
}

const schemaOf = (one: object, around: object = {}) => ({
  schema: { type: 'object', properties: { content: one }, ...around },
});

describe('a digest of an argument', () => {
  test.each<[string, ArgumentValidation]>([
    ['a rule about another field', { schema: { type: 'object', properties: { path: { type: 'string' } } } }],
    ['a schema of its type', schemaOf({ type: 'string', description: 'What to write.' })],
    ['a validator of another field', { validators: [{ noSystemPaths: { fields: ['path'] } }] }],
  ])('is accepted by %s', (_what, validation) => {
    expect(faultOf(validation)).toBe(null);
  });

  test.each<[string, ArgumentValidation]>([
    ['another type', schemaOf({ type: 'number' })],
    ['a type of objects', schemaOf({ type: 'object' })],
    ['a length', schemaOf({ type: 'string', maxLength: 10 })],
    ['a pattern', schemaOf({ type: 'string', pattern: '^a' })],
    ['a list of values', schemaOf({ enum: ['a'] })],
    ['an exclusion', schemaOf({ not: { type: 'string', pattern: 'secret' } })],
    [
      'an exclusion of the whole',
      { schema: { type: 'object', not: { properties: { content: { type: 'string', pattern: 'secret' } } } } },
    ],
    ['a validator of every text', { validators: ['noSystemPaths'] }],
    ['a validator of its field', { validators: [{ noSystemPaths: { fields: ['content'] } }] }],
  ])('is refused by %s', (_what, validation) => {
    expect(faultOf(validation)).not.toBe(null);
  });

  test('that a caller writes in another form is refused by every rule that reads it', () => {
    for (const fake of [{ [DIGESTED]: null }, { [DIGESTED]: { type: 'number' } }, { [DIGESTED]: [], a: 1 }]) {
      expect(faultOf(schemaOf({ type: 'object' }), { content: fake })).not.toBe(null);
    }
  });

  test.each(['action.args.content', 'action.args.content.deep', 'action.args.list'])(
    'exceeds the step budget of a condition on %s, so the rule does not count as one that does not match',
    (field) => {
      const { holds } = compileCondition({ field, op: 'contains', value: 'secret' });
      const stepBudget = stepBudgetOfAction();
      const action = {
        id: 'a',
        agentId: 'x',
        type: 'tool_call',
        tool: 't',
        args: { ...args, list: [content] },
      };
      expect(holds({ agent: {}, action: action as never }, stepBudget)).toBe(null);
      expect(stepBudget.left).toBeLessThan(0);
    },
  );
});
