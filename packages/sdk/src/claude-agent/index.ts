/**
 * `@mandate/sdk/claude-agent`: puts the tools of Anthropic's Claude Agent SDK under a mandate, by its hooks.
 *
 * Promises: a tool runs only after an ALLOW, in every permission mode and in every subagent. A hook that throws, hangs
 * or cannot ask blocks the tool. A call that a person must approve is deferred: the query ends, and a query that
 * resumes the session runs the call once after the approval.
 *
 * Hooks see no call of the model. Limit its cost with `maxBudgetUsd` of the framework. A tool that runs cannot be
 * aborted by a hook: interrupt the query after a kill.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { mandateHooks } from './mandate-hooks.ts';
export { mergeHooks } from './merge-hooks.ts';
export type { ClaudeAgentOptions, HookCallback, HookMatcher, Hooks } from './types.ts';
