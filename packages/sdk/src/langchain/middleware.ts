/** The middleware for agents that `createAgent` makes. */
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { MandateInstance } from '../mandate.ts';
import { governModelCalls } from './govern-model-calls.ts';
import { governToolCalls } from './govern-tool-calls.ts';
import { type LangChainOptions, tokenRulesOf } from './options.ts';

/**
 * Returns middleware that asks before each model call and each tool call. Put it last in the list of middleware. Then
 * a retry or a fallback of other middleware asks again, and nothing changes a call after its decision.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateMiddleware(mandate: MandateInstance, options: LangChainOptions = {}): AgentMiddleware {
  const agent = mandate.agent(options);
  return createMiddleware({
    name: 'mandate',
    wrapModelCall: governModelCalls(agent, tokenRulesOf(options)),
    wrapToolCall: governToolCalls(agent),
  });
}
