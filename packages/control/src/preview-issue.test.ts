import { agentDocument, ruleDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { controlOf, NOW_MS } from './lint/lint.fixture.ts';
import { previewIssue } from './preview-issue.ts';

const agent = agentDocument.parse({ id: 'a' });
const isPay = { field: 'action.tool', op: '==', value: 'pay' };
const isProduction = { field: 'context.environment', op: '==', value: 'prod' };
const control = controlOf({ agents: [agent], policies: [{ id: 'p' }], rules: [] });

function preview(when: object | undefined, context: Record<string, string>) {
  const rules = [ruleDocument.parse({ version: 1, id: 'r', policy: 'p', ...(when && { when }) })];
  const { issue, near } = previewIssue(control, { agent, context, atMs: NOW_MS, rules, policies: [] });
  if (!issue.ok) return { why: issue.why, near: near.map(({ why }) => why) };
  const { rules: matched, openRules } = issue.composed;
  return { matched: matched.length, open: openRules.length, near: near.map(({ why }) => why) };
}

test.each<[string, object | undefined, Record<string, string>, object]>([
  ['no condition', undefined, {}, { matched: 1, open: 0, near: [] }],
  ['one that the context meets', isProduction, { environment: 'prod' }, { matched: 1, open: 0, near: [] }],
  ['one of which the context says nothing', isProduction, {}, { matched: 0, open: 1, near: [] }],
  ['one that an action alone tells', isPay, {}, { matched: 0, open: 1, near: [] }],
  [
    'one that the context does not meet, behind one that is open',
    { all: [isPay, isProduction] },
    { environment: 'test' },
    { why: 'NO_RULE', near: ['context.environment is "test", and not == "prod"'] },
  ],
])('previews a grant if a rule has %s', (_, when, context, told) => {
  expect(preview(when, context)).toEqual(told);
});

test('previews no grant in a closed tenant', () => {
  const opened = { document: { version: 1, id: 'acme' }, closedAt: '2026-03-01T12:00:00.000Z' };
  const closed = { ...control, opened } as unknown as typeof control;
  const asked = {
    agent,
    context: {},
    atMs: NOW_MS,
    rules: [ruleDocument.parse({ version: 1, id: 'r', policy: 'p' })],
  };
  expect(previewIssue(closed, { ...asked, policies: [] }).issue).toEqual({ ok: false, why: 'TENANT_CLOSED' });
});
