/** The middleware for agents that `createAgent` makes. */
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { AgentSource } from '../adapters/agent-source.ts';
import { governModelCalls } from './govern-model-calls.ts';
import { governToolCalls } from './govern-tool-calls.ts';
import type { LangChainOptions } from './options.ts';

/**
 * Returns middleware that requests a decision before each model call and each tool call. Put it last in the list of
 * middleware. Then a retry or a fallback of other middleware needs another decision, and nothing changes a call after
 * its decision.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateMiddleware(mandate: AgentSource, options: LangChainOptions = {}): AgentMiddleware {
  const agent = mandate.agent(options);
  return createMiddleware({
    name: 'mandate',
    wrapModelCall: governModelCalls(agent, options),
    wrapToolCall: governToolCalls(agent),
  });
}
