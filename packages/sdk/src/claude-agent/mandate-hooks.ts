/** The hooks that ask before each tool, and settle the call afterwards. */
import { askTool } from '../adapters/ask-tool.ts';
import type { MandateInstance } from '../mandate.ts';
import type { Agent, RunningAction, RunningOutcome } from '../types.ts';
import type { ClaudeAgentOptions, HookInput, HookMatcher, HookOutput, Hooks } from './types.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

/** The most tools that may run at once. The lease settles a call that was forgotten. */
const MOST_RUNNING = 10_000;

/**
 * Returns the hooks for the option `hooks` of `query`. Use `mergeHooks` if the query has hooks of its own.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateHooks(mandate: MandateInstance, options: ClaudeAgentOptions = {}): Hooks {
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
  readonly #running = new Map<string, RunningAction>();

  constructor(agentOf: (input: HookInput) => Agent, onAllow: 'continue' | 'allow') {
    this.#agentOf = agentOf;
    this.#onAllow = onAllow;
  }

  /** Decides the call, before the framework asks for its own permissions. */
  async before(input: HookInput, signal: AbortSignal): Promise<HookOutput> {
    const { session_id, tool_name = '', tool_input = {}, tool_use_id } = input;
    const ask = { tool: tool_name, args: tool_input, scope: session_id, callId: tool_use_id };
    const answer = await askTool(this.#agentOf(input), ask);
    if (answer.kind === 'deferred') return decided('defer', answer.error.message);
    if (answer.kind === 'blocked') return decided('deny', answer.error.message);
    const { action, settle } = answer.running;
    // The framework has given up, so the tool does not run.
    if (signal.aborted) {
      await settle({ status: 'cancelled' });
      throw signal.reason;
    }
    this.#remember(keyOf(input), answer.running);
    const args = action.type === 'tool_call' ? (action.args ?? {}) : {};
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        ...(this.#onAllow === 'allow' ? { permissionDecision: 'allow' } : {}),
        updatedInput: args,
      },
    };
  }

  async ended(input: HookInput, outcome: RunningOutcome): Promise<HookOutput> {
    const key = keyOf(input);
    const running = this.#running.get(key);
    this.#running.delete(key);
    await running?.settle(outcome);
    return {};
  }

  /** It is not known how far an interrupted tool came. Its lease keeps the reservation charged. */
  async failed(input: HookInput): Promise<HookOutput> {
    if (input.is_interrupt !== true) return this.ended(input, { status: 'failure' });
    this.#running.delete(keyOf(input));
    return {};
  }

  #remember(key: string, running: RunningAction): void {
    this.#running.set(key, running);
    if (this.#running.size > MOST_RUNNING) this.#running.delete(this.#running.keys().next().value as string);
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
