/**
 * Tests that an agent that requires a grant can do nothing without a grant, and that this is also true of its
 * descendants (ADR 49).
 */
import { previewMandate } from '@mandate/control';
import { contentFinders } from '@mandate/privacy';
import { agentDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';
import { codeOf, governed } from './tenant-with-grants.ts';

const required = () => {
  const made = governed();
  made.agent({ requiresGrant: true });
  return made;
};

test('an agent that requires a grant may do nothing without one, and the answer says how to get one', () => {
  const { ask } = required();
  const { refusal, checks } = ask();
  expect(refusal).toMatchObject({
    code: 'GRANT_REQUIRED',
    reason: 'The action names no grant. The agent "bot" may act only under a grant.',
    final: true,
  });
  expect(refusal?.remedy).toContain('POST /v1/grants/issue');
  expect(checks).toEqual([
    { check: 'mandate-found', result: 'block', evidence: { agentId: 'bot', requiresGrant: 'bot' } },
  ]);
  // The composition of rules has a name too, but that name is not a grant.
  expect(codeOf(ask({ mandateId: 'rules' }))).toBe('GRANT_REQUIRED');
});

test('an agent with a grant may do what the grant allows, until the grant ends', () => {
  const { ask, issue, revoke } = required();
  expect(issue('1')).toBe(true);
  expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('ALLOWED');
  expect(codeOf(ask())).toBe('GRANT_REQUIRED');
  revoke('1');
  expect(codeOf(ask({ mandateId: 'mnd_1' }))).toBe('MANDATE_EXPIRED');
  expect(codeOf(ask({ mandateId: 'mnd_2' }))).toBe('MANDATE_NOT_FOUND');
});

test('the descendants of an agent that requires a grant need their own grants', () => {
  const { ask, agent, issue } = required();
  agent({ id: 'worker', parent: 'bot' });
  agent({ id: 'hand', parent: 'worker' });
  for (const agentId of ['worker', 'hand'])
    expect(ask({ agentId }).refusal).toMatchObject({
      code: 'GRANT_REQUIRED',
      reason: `The action names no grant. The agent "${agentId}" may act only under a grant, because its ancestor "bot" requires one.`,
    });
  issue('1', {}, 'hand');
  expect(codeOf(ask({ agentId: 'hand', mandateId: 'mnd_1' }))).toBe('ALLOWED');
  agent({});
  expect(codeOf(ask({ agentId: 'hand' }))).toBe('ALLOWED');
});

test('a preview says that the agent needs a grant', () => {
  const { fold } = required();
  const action = { id: 'x', agentId: 'bot', type: 'tool_call' as const, tool: 'read' };
  const preview = (fields: object) =>
    previewMandate(
      fold.tenant('acme'),
      {
        ...{ action, atMs: START_MS, rules: [], policies: [] },
        agent: agentDocument.parse({ id: 'bot', ...fields }),
      },
      contentFinders,
    ).plan.refusal?.code ?? 'ALLOWED';
  expect(preview({ requiresGrant: true })).toBe('GRANT_REQUIRED');
  expect(preview({})).toBe('ALLOWED');
});
