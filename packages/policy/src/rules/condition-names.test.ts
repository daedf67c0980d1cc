import { ruleDocument } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { compileRule } from './rule.ts';

function faults(when: object, options = {}): string[] {
  const rule = compileRule(ruleDocument.parse({ version: 1, id: 'r', policy: 'p', when }), options);
  return rule.ok ? [] : rule.faults.map(({ path, message }) => `${path.join('.')} ${message}`);
}

const tool = (op: string, value: unknown) => ({ field: 'action.tool', op, value });

describe('a condition that no name can satisfy is an error', () => {
  test.each<[object, string]>([
    [
      tool('==', 'wipe '),
      'when.value must not hold U+0020 (character 5): a name holds no blank, so it can equal no name',
    ],
    [
      tool('!=', 'wipe\u3164'),
      'when.value must not hold U+3164 (character 5): it cannot be seen, so it can equal no name',
    ],
    [tool('==', 'delete_*'), 'when.value must not contain *'],
    [tool('starts_with', 'delete_*'), 'when.value must not contain *'],
    [tool('in', ['read', 'delete_*']), 'when.value.1 must not contain *'],
    [tool('not_in', ['a b']), 'when.value.0 must not hold U+0020'],
    [{ field: 'agent.groups', op: 'contains', value: 'support*' }, 'when.value must not contain *'],
    [{ field: ['action', 'principal', 'id'], op: '==', value: 'cafe\u0301' }, 'when.value must be composed'],
    [{ all: [tool('==', 'a'), { not: [tool('==', 'b ')] }] }, 'when.all.1.not.0.value must not hold U+0020'],
  ])('%j', (when, told) => {
    expect(faults(when)).toEqual([expect.stringContaining(told)]);
  });
});

const onModel = (op: string, value: unknown) => ({ field: 'action.model', op, value });
const onProvider = (op: string, value: unknown) => ({ field: 'action.provider', op, value });

describe('a condition about a model or provider must use the normal form of the name', () => {
  test.each<[object, string, string]>([
    [onModel('==', 'openai/GPT-4o'), 'value', 'gpt-4o'],
    [onModel('in', ['gpt-4o', 'azure/gpt-4o']), 'value.1', 'gpt-4o'],
    [onModel('starts_with', 'GPT'), 'value', 'gpt'],
    [onProvider('==', 'bedrock'), 'value', 'aws'],
    [onProvider('contains', 'Open'), 'value', 'open'],
  ])('%j', (when, place, normal) => {
    expect(faults(when)).toEqual([`when.${place} must be in its normal form: write "${normal}"`]);
  });
});

describe('accepts a valid condition', () => {
  test.each([
    [tool('==', 'delete_file')],
    [tool('matches', '^delete_.*')],
    [tool('exists', true)],
    [onModel('in', ['gpt-4o', 7])],
    [onModel('matches', '^GPT')],
    [onProvider('starts_with', 'az')],
    [{ field: 'action.args.path', op: '==', value: 'a b*' }],
    [{ field: 'action.idempotencyKey', op: '==', value: 'a*' }],
    [{ field: 'context.environment', op: '==', value: 'pre production' }],
    [{ field: 'agent.labels.team', op: 'in', value: ['the team', 7, null] }],
  ])('%j', (when) => {
    expect(faults(when)).toEqual([]);
  });

  test('any condition, if the rule is already on the log', () => {
    expect(faults(tool('==', 'wipe '), { isOnLog: true })).toEqual([]);
  });
});
