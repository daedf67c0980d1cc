/**
 * `@mandate/sdk/claude-agent`: puts the tools of Anthropic's Claude Agent SDK under a mandate, by its hooks.
 *
 * Promises: a tool runs only after an ALLOW, in every permission mode and in every subagent. A hook blocks the tool if
 * it throws, hangs or gets no decision. A call that a person must approve is deferred: the query ends, and a query that
 * resumes the session runs the call once after the approval.
 *
 * Hooks do not see the calls of the model. Limit their cost with `maxBudgetUsd` of the framework. A tool that runs
 * cannot be aborted by a hook: interrupt the query after a kill.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { mandateHooks } from './mandate-hooks.ts';
export { mergeHooks } from './merge-hooks.ts';
export type { ClaudeAgentOptions, HookCallback, HookMatcher, Hooks } from './types.ts';
