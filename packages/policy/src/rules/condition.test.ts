import { condition } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { compileCondition } from './condition.ts';

const SUBJECT = {
  agent: { id: 'agent-1', groups: ['travel', 'eu'], labels: { tier: 2, 'a.b': 'dotted' } },
  action: {
    id: 'x',
    agentId: 'agent-1',
    type: 'tool_call' as const,
    tool: 'send_mail',
    args: { to: 'ann@example.com', amount: 50, nothing: null, mixed: [1, null], none: [] },
    context: { environment: 'prod', dry: false },
  },
};

function holds(document: unknown) {
  return compileCondition(condition.parse(document)).holds(SUBJECT, stepBudgetOfAction());
}

const tier = (op: string, value: unknown) => ({ field: 'agent.labels.tier', op, value });
const tool = (op: string, value: unknown) => ({ field: 'action.tool', op, value });

test.each<[string, unknown, boolean | null]>([
  ['equal', tool('==', 'send_mail'), true],
  ['not equal', tool('!=', 'send_mail'), false],
  ['a number compared with a text', tier('==', '2'), null],
  ['a number that differs from a text', tier('!=', '2'), null],
  ['a number compared with a boolean', tier('==', true), null],
  ['null compared with null', { field: 'action.args.nothing', op: '==', value: null }, true],
  ['null compared with a text', { field: 'action.args.nothing', op: '!=', value: 'x' }, null],
  ['a text compared with null', tool('==', null), null],
  ['a list is no value', { field: 'agent.groups', op: '==', value: 'eu' }, null],
  ['nor is it another one', { field: 'agent.groups', op: '!=', value: 'eu' }, null],
  ['nor among others', { field: 'agent.groups', op: 'not_in', value: ['eu'] }, null],
  ['nor is an object', { field: 'agent.labels', op: 'not_in', value: ['eu'] }, null],
  ['in', tier('in', [1, 2]), true],
  ['in values of another type', tier('in', ['2', true, null]), null],
  ['not in values of another type', tier('not_in', ['2', true, null]), null],
  ['in values of several types', tier('in', ['2', 2]), true],
  ['not in values of several types', tier('not_in', ['2', 3]), true],
  ['not in', tier('not_in', [1, 2]), false],
  ['a list contains', { field: 'agent.groups', op: 'contains', value: 'eu' }, true],
  ['a list contains no part of an element', { field: 'agent.groups', op: 'contains', value: 'e' }, false],
  ['a list of texts contains a number', { field: 'agent.groups', op: 'contains', value: 1 }, null],
  ['a mixed list contains', { field: 'action.args.mixed', op: 'contains', value: 1 }, true],
  ['a mixed list may contain', { field: 'action.args.mixed', op: 'contains', value: 'x' }, null],
  ['an empty list contains nothing', { field: 'action.args.none', op: 'contains', value: 'x' }, false],
  [
    'an object contains nothing that is known',
    { field: 'agent.labels', op: 'contains', value: 'tier' },
    null,
  ],
  ['a text contains', tool('contains', 'mail'), true],
  ['a number contains nothing that is known', tier('contains', 2), null],
  ['more', tier('>', 2), false],
  ['as much', tier('>=', 2), true],
  ['less', tier('<', 2), false],
  ['at most', tier('<=', 2), true],
  ['a text is neither more nor less', tool('>', 2), null],
  ['a pattern, anywhere in the text', tool('matches', '^send_[a-z]+$'), true],
  ['a pattern that is not there', tool('matches', '\\d'), false],
  ['a pattern of a number', tier('matches', '2'), null],
  ['a beginning', tool('starts_with', 'send_'), true],
  ['another beginning', tool('starts_with', 'end_'), false],
  ['a beginning of a number', tier('starts_with', '2'), null],
  ['a number is more than a text', { field: 'action.args.to', op: '<', value: 5 }, null],
  ['there', { field: 'context.dry', op: 'exists' }, true],
  ['null is there', { field: 'action.args.nothing', op: 'exists' }, true],
  ['not there, as it should be', { field: 'context.wet', op: 'exists', value: false }, true],
  ['there, as it should not be', { field: 'context.dry', op: 'exists', value: false }, false],
  ['steps with dots in them', { field: ['agent', 'labels', 'a.b'], op: '==', value: 'dotted' }, true],
  ['what an object inherits is not there', { field: 'context.constructor', op: 'exists' }, false],
  ['a list has no fields', { field: 'agent.groups.0', op: 'exists' }, false],
  ['nor has a text', { field: 'action.tool.length', op: 'exists' }, false],
])('compares one field: %s', (_, document, truth) => {
  expect(holds(document)).toBe(truth);
});

const UNKNOWN = { field: 'context.missing', op: '!=', value: 'x' };
const YES = tool('==', 'send_mail');
const NO = tool('==', 'other');

test.each<[string, unknown, boolean | null]>([
  ['of a missing field nothing is known', UNKNOWN, null],
  ['nor of its opposite', { not: [UNKNOWN] }, null],
  ['all, and one is unknown', { all: [YES, UNKNOWN] }, null],
  ['all, and one is false', { all: [UNKNOWN, NO] }, false],
  ['any, and one is unknown', { any: [NO, UNKNOWN] }, null],
  ['any, and one is true', { any: [UNKNOWN, YES] }, true],
  ['none of them', { not: [NO, NO] }, true],
  ['none of them, and one is true', { not: [UNKNOWN, YES] }, false],
  ['none of them, and one is unknown', { not: [NO, UNKNOWN] }, null],
  ['all of none', { all: [] }, true],
  ['any of none', { any: [] }, false],
])('combines conditions: %s', (_, document, truth) => {
  expect(holds(document)).toBe(truth);
});

test.each<[string, unknown]>([
  ['a field of nothing that is known', { field: 'ledger.spent', op: 'exists' }],
  ['a root alone', { field: 'context', op: 'exists' }],
  ['an operator that there is none', tool('like', 'x')],
  ['a number in a text', tier('>', '2')],
  ['two things at once', { all: [], any: [] }],
  ['a list where one value belongs', tool('==', ['send_mail'])],
  ['a value that differs from null, which would never be true', tool('!=', null)],
  ['one of no values', tool('in', [])],
  ['none of no values', tool('not_in', [])],
])('refuses %s', (_, document) => {
  expect(condition.safeParse(document).success).toBe(false);
});

const LLM = {
  agent: { id: 'agent-1' },
  action: {
    id: 'x',
    agentId: 'agent-1',
    type: 'llm_call' as const,
    provider: 'Azure_OpenAI',
    model: 'openai/GPT-4o-2024-08-06',
    inputTokens: 1,
    maxOutputTokens: 1,
  },
};
const onModel = (op: string, value: unknown) => ({ field: 'action.model', op, value });
const onProvider = (op: string, value: unknown) => ({ field: 'action.provider', op, value });

test.each([
  ['its model', onModel('==', 'gpt-4o-2024-08-06'), true],
  ['the beginning of its model', onModel('starts_with', 'gpt-4'), true],
  ['a pattern of its model', onModel('matches', '^gpt-4o(-|$)'), true],
  ['its provider', onProvider('in', ['azure', 'aws']), true],
  ['another provider', onProvider('!=', 'openai'), true],
])('reads an LLM call in its normal form: %s', (_, document, truth) => {
  expect(compileCondition(condition.parse(document)).holds(LLM, stepBudgetOfAction())).toBe(truth);
});

test("knows the provider from the model's name if the request states none", () => {
  const { provider: _, ...action } = LLM.action;
  const subject = { ...LLM, action: { ...action, model: 'azure/gpt-4o' } };
  const isAzure = compileCondition(condition.parse(onProvider('==', 'azure')));
  expect(isAzure.holds(subject, stepBudgetOfAction())).toBe(true);
  const unknown = { ...LLM, action: { ...action, model: 'gpt-4o' } };
  expect(isAzure.holds(unknown, stepBudgetOfAction())).toBeNull();
});
