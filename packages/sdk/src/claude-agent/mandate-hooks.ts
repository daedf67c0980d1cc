/** The hooks that request a decision before each tool, and settle the call afterwards. */
import type { AgentSource } from '../adapters/agent-source.ts';
import { askTool } from '../adapters/ask-tool.ts';
import { RunningCalls } from '../adapters/running-calls.ts';
import type { Agent, RunningOutcome } from '../types.ts';
import type { ClaudeAgentOptions, HookInput, HookMatcher, HookOutput, Hooks } from './types.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

/**
 * Returns the hooks for the option `hooks` of `query`. Use `mergeHooks` if the query has other hooks too.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateHooks(mandate: AgentSource, options: ClaudeAgentOptions = {}): Hooks {
  const { subagents = {}, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, onAllow = 'continue' } = options;
  const main = mandate.agent(options);
  const agents = new Map(Object.entries(subagents).map(([type, agent]) => [type, mandate.agent(agent)]));
  const governor = new Governor(({ agent_id, agent_type }) => {
    const isSubagent = agent_id !== undefined && agent_type !== undefined;
    return (isSubagent ? agents.get(agent_type) : undefined) ?? main;
  }, onAllow);
  const on = (hook: (input: HookInput, signal: AbortSignal) => Promise<HookOutput>): HookMatcher[] => [
    {
      hooks: [(input, _toolUseId, { signal }) => hook(input, signal)],
      timeout: timeoutSeconds,
      // Without this, the framework runs the tool if the hook throws.
      onFailure: 'block',
    },
  ];
  return {
    PreToolUse: on((input, signal) => governor.before(input, signal)),
    PostToolUse: on((input) => governor.ended(input, { status: 'success' })),
    PostToolUseFailure: on((input) => governor.failed(input)),
    PermissionDenied: on((input) => governor.ended(input, { status: 'cancelled' })),
  };
}

class Governor {
  readonly #agentOf: (input: HookInput) => Agent;
  readonly #onAllow: 'continue' | 'allow';
  readonly #running = new RunningCalls();

  constructor(agentOf: (input: HookInput) => Agent, onAllow: 'continue' | 'allow') {
    this.#agentOf = agentOf;
    this.#onAllow = onAllow;
  }

  /** Decides the call before the framework checks its own permissions. */
  async before(input: HookInput, signal: AbortSignal): Promise<HookOutput> {
    const { session_id, tool_name = '', tool_input = {}, tool_use_id } = input;
    const ask = { tool: tool_name, args: tool_input, runId: session_id, callId: tool_use_id };
    const answer = await askTool(this.#agentOf(input), ask);
    if (answer.kind === 'deferred') return decided('defer', answer.error.message);
    if (answer.kind === 'blocked') return decided('deny', answer.error.message);
    const { args, settle } = answer.running;
    // The framework has stopped waiting, so the tool does not run.
    if (signal.aborted) {
      await settle({ status: 'cancelled' });
      throw signal.reason;
    }
    this.#running.started(keyOf(input), answer.running);
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        ...(this.#onAllow === 'allow' ? { permissionDecision: 'allow' } : {}),
        updatedInput: args,
      },
    };
  }

  async ended(input: HookInput, outcome: RunningOutcome): Promise<HookOutput> {
    await this.#running.ended(keyOf(input), outcome);
    return {};
  }

  /** It is unknown how far an interrupted tool came, so its reservation stays charged when its lease ends. */
  async failed(input: HookInput): Promise<HookOutput> {
    if (input.is_interrupt !== true) return this.ended(input, { status: 'failure' });
    this.#running.forget(keyOf(input));
    return {};
  }
}

function keyOf({ session_id, tool_use_id }: HookInput): string {
  return `${session_id} ${tool_use_id}`;
}

function decided(permissionDecision: 'deny' | 'defer', permissionDecisionReason: string): HookOutput {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
  };
}
