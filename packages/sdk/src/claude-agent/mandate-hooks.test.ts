/** Calls the hooks as the Claude Agent SDK does. `npm run test:claude-agent` tests them in the SDK itself. */
import { describe, expect, test } from 'vitest';
import { RecordingState } from '../adapters/recording-state.fixture.ts';
import { Mandate } from '../index.ts';
import type { MandateDocument } from '../types.ts';
import { type ClaudeAgentOptions, type Hooks, mandateHooks, mergeHooks } from './index.ts';

const PAY = { pay: { cost: 5 } };
const APPROVED = { pay: { cost: 5, requiresConfirmation: true } };

function scene(document: MandateDocument, options: ClaudeAgentOptions = {}, state = new RecordingState()) {
  const mandate = new Mandate({ agentId: 'bot', mandate: document, state });
  return { mandate, state, hooks: mandateHooks(mandate, options) };
}

async function fire(hooks: Hooks, event: string, more: object = {}, signal = new AbortController().signal) {
  const input = {
    hook_event_name: event,
    session_id: 'session-1',
    tool_name: 'pay',
    tool_input: { to: 'ann' },
    tool_use_id: 'toolu_1',
    ...more,
  };
  const outputs = [];
  for (const { hooks: all } of hooks[event] ?? [])
    for (const hook of all) outputs.push(await hook(input, 'toolu_1', { signal }));
  return outputs.at(-1)?.hookSpecificOutput;
}

const costOf = async (mandate: Mandate, agentId = 'bot') => (await mandate.getCost(agentId)).totalMicros;

test('every hook blocks if it fails, and has a time-out', () => {
  for (const matchers of Object.values(scene({}).hooks)) {
    expect(matchers).toMatchObject([{ onFailure: 'block', timeout: 60 }]);
    expect(matchers?.[0]).not.toHaveProperty('matcher');
  }
});

describe('a tool that is allowed', () => {
  test('runs with the decided arguments under the permissions of the framework, and is charged', async () => {
    const { hooks, mandate } = scene({ toolPolicies: PAY });
    expect(await fire(hooks, 'PreToolUse')).toEqual({
      hookEventName: 'PreToolUse',
      updatedInput: { to: 'ann' },
    });
    await fire(hooks, 'PostToolUse');
    expect(await costOf(mandate)).toBe(5_000_000);
  });

  test('gets the whole argument even if it is too large for a record', async () => {
    const { hooks } = scene({});
    const to = 'x'.repeat(70_000);
    const output = await fire(hooks, 'PreToolUse', { tool_input: { to } });
    expect(output?.updatedInput?.to).toBe(to);
  });

  test('skips the permissions of the framework only if the option says so', async () => {
    const { hooks } = scene({}, { onAllow: 'allow' });
    expect(await fire(hooks, 'PreToolUse')).toMatchObject({ permissionDecision: 'allow' });
  });

  test.each([
    ['PostToolUseFailure', {}, 0],
    ['PostToolUseFailure', { is_interrupt: true }, 5_000_000],
    ['PermissionDenied', {}, 0],
  ])('and ends with %s %j is charged accordingly', async (event, more, micros) => {
    const { hooks, mandate } = scene({ toolPolicies: PAY });
    await fire(hooks, 'PreToolUse');
    await fire(hooks, event, more);
    expect(await costOf(mandate)).toBe(micros);
  });

  test('runs once: the hook denies the same call when it comes again', async () => {
    const { hooks } = scene({});
    await fire(hooks, 'PreToolUse');
    await fire(hooks, 'PostToolUse');
    expect(await fire(hooks, 'PreToolUse')).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('DUPLICATE_ACTION'),
    });
  });
});

describe('a tool that is refused', () => {
  test.each([
    ['denied', { deniedTools: ['pay'] }, 'TOOL_DENIED'],
    ['over the budget', { maxCostTotal: 4, toolPolicies: PAY }, 'COST_LIMIT_EXCEEDED'],
  ])('because it is %s', async (_why, document: MandateDocument, code) => {
    const output = await fire(scene(document).hooks, 'PreToolUse');
    expect(output).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(code),
    });
  });

  test('because it cannot be decided', async () => {
    const { hooks, state } = scene({});
    await state.close();
    expect(await fire(hooks, 'PreToolUse')).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('INTERNAL_ERROR'),
    });
  });

  test('because the framework gave up while the call was decided, and gives its reservation back', async () => {
    const { hooks, mandate } = scene({ toolPolicies: PAY });
    const reason = new Error('the hook timed out');
    await expect(fire(hooks, 'PreToolUse', {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await costOf(mandate)).toBe(0);
  });
});

test('a tool that a person must approve is deferred, and runs once after the approval, in another process', async () => {
  const one = scene({ toolPolicies: APPROVED });
  const deferred = {
    permissionDecision: 'defer',
    permissionDecisionReason: expect.stringContaining('APPROVAL'),
  };
  expect(await fire(one.hooks, 'PreToolUse')).toMatchObject(deferred);
  const two = scene({ toolPolicies: APPROVED }, {}, one.state);
  expect(await fire(two.hooks, 'PreToolUse')).toMatchObject(deferred);
  await one.state.grant();
  expect(await fire(two.hooks, 'PreToolUse')).toEqual({
    hookEventName: 'PreToolUse',
    updatedInput: { to: 'ann' },
  });
  await fire(two.hooks, 'PostToolUse');
  expect(await costOf(two.mandate)).toBe(5_000_000);
});

test('a subagent is decided as the agent that is stated for its type', async () => {
  const { hooks, mandate } = scene(
    {},
    { subagents: { reviewer: { agentId: 'reviewer', mandate: { deniedTools: ['pay'] } } } },
  );
  const inSubagent = { agent_id: 'sub-1', agent_type: 'reviewer' };
  expect(await fire(hooks, 'PreToolUse', inSubagent)).toMatchObject({ permissionDecision: 'deny' });
  expect(
    await fire(hooks, 'PreToolUse', { agent_id: 'sub-2', agent_type: 'other', tool_use_id: 'toolu_2' }),
  ).toEqual({ hookEventName: 'PreToolUse', updatedInput: { to: 'ann' } });
  expect(await mandate.getCallCount('bot')).toBe(1);
});

describe('merged hooks', () => {
  test('contain the hooks of the program and those of Mandate', async () => {
    const { hooks } = scene({ deniedTools: ['pay'] });
    const seen: string[] = [];
    const noting = async () => {
      seen.push('pre');
      return {};
    };
    const own: Hooks = {
      PreToolUse: [{ matcher: 'pay', hooks: [noting] }],
      Stop: [{ hooks: [async () => ({})] }],
    };
    const merged = mergeHooks(own, hooks);
    expect(Object.keys(merged).sort()).toEqual([
      'PermissionDenied',
      'PostToolUse',
      'PostToolUseFailure',
      'PreToolUse',
      'Stop',
    ]);
    expect(await fire(merged, 'PreToolUse')).toMatchObject({ permissionDecision: 'deny' });
    expect([seen, merged.PreToolUse?.[0]?.matcher]).toEqual([['pre'], 'pay']);
    expect(mergeHooks(undefined, hooks)).toEqual(hooks);
  });

  test('deny a call if a hook of the program changed its arguments', async () => {
    const changing = async () => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { to: 'eve' } },
    });
    const merged = mergeHooks({ PreToolUse: [{ hooks: [changing] }] }, {});
    expect(await fire(merged, 'PreToolUse')).toMatchObject({ permissionDecision: 'deny' });
  });
});
