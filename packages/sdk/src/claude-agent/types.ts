/**
 * The parts of the Claude Agent SDK's types that the hooks use. The package is installed with a program of 400 MB, so
 * Mandate does not depend on it. The types of the package are compatible with these types.
 */
import type { AgentOptions } from '../mandate.ts';

/** The input of a hook. Calls of a subagent have `agent_type`. */
export type HookInput = {
  hook_event_name: string;
  session_id: string;
  agent_id?: string;
  agent_type?: string;
  tool_name?: string;
  tool_input?: unknown;
  tool_use_id?: string;
  is_interrupt?: boolean;
};

export type HookOutput = {
  hookSpecificOutput?: {
    hookEventName: 'PreToolUse';
    permissionDecision?: 'allow' | 'deny' | 'defer';
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  };
};

/** A hook of the framework or of Mandate. */
export type HookCallback = (
  // biome-ignore lint/suspicious/noExplicitAny: the framework has a type for each event
  input: any,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
  // biome-ignore lint/suspicious/noExplicitAny: the framework has a type for each event
) => Promise<any>;

export type HookMatcher = {
  matcher?: string;
  hooks: HookCallback[];
  /** In seconds. */
  timeout?: number;
  onFailure?: 'continue' | 'block';
};

/** Hooks by the event that they belong to: the option `hooks` of `query`. */
export type Hooks = { [event: string]: HookMatcher[] | undefined };

export type ClaudeAgentOptions = AgentOptions & {
  /**
   * Agents of Mandate for subagents, by the type of the subagent. A subagent that is not listed uses the main agent.
   */
  subagents?: Readonly<Record<string, AgentOptions>>;
  /** How long a decision may take, in seconds. After this time the tool does not run. Default: 60. */
  timeoutSeconds?: number;
  /**
   * The effect of an ALLOW on the framework's own permissions. `continue`: they apply as before. `allow`: they are
   * skipped, and Mandate alone decides. Default: `continue`.
   */
  onAllow?: 'continue' | 'allow';
};
