/** The options of the adapter for Vercel's AI SDK. */
import type { AgentOptions } from '../mandate.ts';
import type { Agent, CallOptions } from '../types.ts';

/** An instance of `Mandate`. */
export type MandateLike = { agent(options?: AgentOptions): Agent };

/** What may be said about all calls of a model or of tools. */
export type AiOptions = AgentOptions &
  Pick<CallOptions, 'principal' | 'context' | 'parentActionId' | 'runId'>;

/** Returns the agent of the options. */
export function agentOf(mandate: MandateLike, { agentId, mandate: document }: AgentOptions): Agent {
  return mandate.agent({
    ...(agentId !== undefined && { agentId }),
    ...(document !== undefined && { mandate: document }),
  });
}

/** Returns what the options say about each call. */
export function callOptionsOf({ principal, context, parentActionId, runId }: AiOptions): CallOptions {
  return {
    ...(principal !== undefined && { principal }),
    ...(context !== undefined && { context }),
    ...(parentActionId !== undefined && { parentActionId }),
    ...(runId !== undefined && { runId }),
  };
}
