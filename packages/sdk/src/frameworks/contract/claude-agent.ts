/**
 * Calls the hooks for the Claude Agent SDK in the same way as the SDK. `npm run test:claude-agent` tests them in the
 * SDK itself.
 */
import { type ClaudeAgentOptions, type Hooks, mandateHooks } from '../../claude-agent/index.ts';
import type { HookOutput } from '../../claude-agent/types.ts';
import type { Framework, RunSetup, Way } from './framework.ts';
import { paying } from './scripted-model.ts';

type ToolUse = { session_id: string; tool_use_id: string; to: string };

const FIRST: ToolUse = { session_id: 'session-1', tool_use_id: 'toolu_1', to: 'ann' };

/**
 * Calls all hooks of an event. A hook that fails or takes too long blocks the call, because the matcher of the hook
 * says so.
 */
async function fire(hooks: Hooks, event: string, input: object, signal: AbortSignal): Promise<HookOutput[]> {
  const matchers = hooks[event] ?? [];
  const all = matchers.flatMap(({ hooks: each, onFailure }) => each.map((hook) => ({ hook, onFailure })));
  return Promise.all(
    all.map(async ({ hook, onFailure }) => {
      const gaveUp = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      try {
        return await Promise.race([hook({ hook_event_name: event, ...input }, 'toolu', { signal }), gaveUp]);
      } catch (error) {
        if (onFailure !== 'block') return {};
        return {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: String(error),
          },
        };
      }
    }),
  );
}

/** Runs the tool as the SDK does: after its hooks, if no hook denies or defers the call. */
async function use(setup: RunSetup, hooks: Hooks, toolUse: ToolUse, more: object = {}): Promise<string> {
  const { to, ...ids } = toolUse;
  const input = { ...ids, tool_name: 'pay', tool_input: { to }, ...more };
  const outputs = await fire(hooks, 'PreToolUse', input, setup.signal);
  for (const { hookSpecificOutput } of outputs) {
    const { permissionDecision = 'allow' } = hookSpecificOutput ?? {};
    if (permissionDecision !== 'allow') return permissionDecision;
  }
  const updated = outputs.find(({ hookSpecificOutput }) => hookSpecificOutput?.updatedInput !== undefined);
  setup.pay(String(updated?.hookSpecificOutput?.updatedInput?.to ?? to));
  await fire(hooks, 'PostToolUse', input, setup.signal);
  return 'ran';
}

function queryOnce(options: ClaudeAgentOptions = {}, more: object = {}): Way {
  return async (setup) => {
    const hooks = mandateHooks(setup.mandate, options);
    await setup.beforePay();
    return use(setup, hooks, FIRST, more);
  };
}

export const claudeAgent: Framework = {
  ways: {
    'a query': queryOnce(),
    'a query that bypasses permissions': queryOnce(
      { onAllow: 'allow' },
      { permission_mode: 'bypassPermissions' },
    ),
    'a subagent that is not listed': queryOnce({}, { agent_id: 'sub-1', agent_type: 'payer' }),
  },

  async suspend(setup) {
    const said = await use(setup, mandateHooks(setup.mandate), FIRST);
    if (said !== 'defer') throw new Error(`the call was not deferred: ${said}`);
    return async (again) => use(again, mandateHooks(again.mandate), FIRST);
  },

  subAgents: {
    'a subagent that is listed': async (setup, { agentId }, times) => {
      const hooks = mandateHooks(setup.mandate, { subagents: { payer: { agentId } } });
      const inSubagent = { agent_id: 'sub-1', agent_type: 'payer' };
      for (const [at] of paying(times).entries()) {
        const toolUse = { ...FIRST, tool_use_id: `toolu_${at}`, to: `payee-${at}` };
        await use(setup, hooks, toolUse, inSubagent);
      }
    },
  },
};
