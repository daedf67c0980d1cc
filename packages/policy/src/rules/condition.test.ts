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
    hints: { openWorld: true },
    risk: 'critical' as const,
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
  ['a hint of the server of the tool', { field: 'action.hints.openWorld', op: '==', value: true }, true],
  ['the risk of a tool', { field: 'action.risk', op: 'in', value: ['standard', 'critical'] }, true],
  ['null compared with null', { field: 'action.args.nothing', op: '==', value: null }, true],
  ['null compared with a text', { field: 'action.args.nothing', op: '!=', value: 'x' }, null],
  ['a text compared with null', tool('==', null), null],
  ['a list compared with a value is unknown', { field: 'agent.groups', op: '==', value: 'eu' }, null],
  ['a list is not known to differ from a value', { field: 'agent.groups', op: '!=', value: 'eu' }, null],
  ['a list with not_in is unknown', { field: 'agent.groups', op: 'not_in', value: ['eu'] }, null],
  ['an object with not_in is unknown', { field: 'agent.labels', op: 'not_in', value: ['eu'] }, null],
  ['in', tier('in', [1, 2]), true],
  ['in values of another type', tier('in', ['2', true, null]), null],
  ['not in values of another type', tier('not_in', ['2', true, null]), null],
  ['in values of several types', tier('in', ['2', 2]), true],
  ['not in values of several types', tier('not_in', ['2', 3]), true],
  ['not in', tier('not_in', [1, 2]), false],
  ['a list contains an element', { field: 'agent.groups', op: 'contains', value: 'eu' }, true],
  [
    'a list does not contain a part of an element',
    { field: 'agent.groups', op: 'contains', value: 'e' },
    false,
  ],
  ['a list of texts and a number are unknown', { field: 'agent.groups', op: 'contains', value: 1 }, null],
  ['a mixed list contains an element', { field: 'action.args.mixed', op: 'contains', value: 1 }, true],
  [
    'a mixed list without an equal element is unknown',
    { field: 'action.args.mixed', op: 'contains', value: 'x' },
    null,
  ],
  ['an empty list contains nothing', { field: 'action.args.none', op: 'contains', value: 'x' }, false],
  ['contains of an object is unknown', { field: 'agent.labels', op: 'contains', value: 'tier' }, null],
  ['a text contains a part', tool('contains', 'mail'), true],
  ['contains of a number is unknown', tier('contains', 2), null],
  ['more', tier('>', 2), false],
  ['as much', tier('>=', 2), true],
  ['less', tier('<', 2), false],
  ['at most', tier('<=', 2), true],
  ['a text compared by > with a number is unknown', tool('>', 2), null],
  ['a pattern, anywhere in the text', tool('matches', '^send_[a-z]+$'), true],
  ['a pattern that does not match', tool('matches', '\\d'), false],
  ['a pattern on a number is unknown', tier('matches', '2'), null],
  ['a beginning', tool('starts_with', 'send_'), true],
  ['another beginning', tool('starts_with', 'end_'), false],
  ['a beginning of a number is unknown', tier('starts_with', '2'), null],
  ['a text compared by < with a number is unknown', { field: 'action.args.to', op: '<', value: 5 }, null],
  ['there', { field: 'context.dry', op: 'exists' }, true],
  ['a field that is null exists', { field: 'action.args.nothing', op: 'exists' }, true],
  ['a missing field that must not exist', { field: 'context.wet', op: 'exists', value: false }, true],
  ['a present field that must not exist', { field: 'context.dry', op: 'exists', value: false }, false],
  ['field names with dots', { field: ['agent', 'labels', 'a.b'], op: '==', value: 'dotted' }, true],
  ['an inherited member does not exist', { field: 'context.constructor', op: 'exists' }, false],
  ['a list has no fields', { field: 'agent.groups.0', op: 'exists' }, false],
  ['a text has no fields', { field: 'action.tool.length', op: 'exists' }, false],
])('compares one field: %s', (_, document, truth) => {
  expect(holds(document)).toBe(truth);
});

const UNKNOWN = { field: 'context.missing', op: '!=', value: 'x' };
const YES = tool('==', 'send_mail');
const NO = tool('==', 'other');

test.each<[string, unknown, boolean | null]>([
  ['a missing field is unknown', UNKNOWN, null],
  ['not of an unknown condition is unknown', { not: [UNKNOWN] }, null],
  ['all, and one is unknown', { all: [YES, UNKNOWN] }, null],
  ['all, and one is false', { all: [UNKNOWN, NO] }, false],
  ['any, and one is unknown', { any: [NO, UNKNOWN] }, null],
  ['any, and one is true', { any: [UNKNOWN, YES] }, true],
  ['none of them', { not: [NO, NO] }, true],
  ['none of them, and one is true', { not: [UNKNOWN, YES] }, false],
  ['none of them, and one is unknown', { not: [NO, UNKNOWN] }, null],
  ['all of an empty list', { all: [] }, true],
  ['any of an empty list', { any: [] }, false],
])('combines conditions: %s', (_, document, truth) => {
  expect(holds(document)).toBe(truth);
});

test.each<[string, unknown]>([
  ['a field with an unknown root', { field: 'ledger.spent', op: 'exists' }],
  ['a root without a field', { field: 'context', op: 'exists' }],
  ['an unknown operator', tool('like', 'x')],
  ['a number written as text', tier('>', '2')],
  ['all and any at once', { all: [], any: [] }],
  ['a list in place of one value', tool('==', ['send_mail'])],
  ['a comparison != null, which would never be true', tool('!=', null)],
  ['in with an empty list', tool('in', [])],
  ['not_in with an empty list', tool('not_in', [])],
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

test("finds the provider in the model's name if the request states no provider", () => {
  const { provider: _, ...action } = LLM.action;
  const subject = { ...LLM, action: { ...action, model: 'azure/gpt-4o' } };
  const isAzure = compileCondition(condition.parse(onProvider('==', 'azure')));
  expect(isAzure.holds(subject, stepBudgetOfAction())).toBe(true);
  const unknown = { ...LLM, action: { ...action, model: 'gpt-4o' } };
  expect(isAzure.holds(unknown, stepBudgetOfAction())).toBeNull();
});
