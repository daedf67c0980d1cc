/** The options of the adapter for Anthropic's SDK. */
import type { AgentOptions } from '../mandate.ts';
import type { Agent, CallOptions } from '../types.ts';
import type { MessageRequest } from './requests.ts';

/** An instance of `Mandate`. */
export type MandateLike = { agent(options?: AgentOptions): Agent };

/** What may be said about all LLM calls of a client. */
export type AnthropicOptions = AgentOptions &
  Pick<CallOptions, 'principal' | 'context' | 'parentActionId'> & {
    /** The provider in rules and prices. Absent: `anthropic`. */
    provider?: string;
    /**
     * Counts the input tokens of a request, for the reservation. Absent: they are estimated from the length of the
     * request, rather too high than too low. If the function throws, the call is blocked.
     */
    countTokens?: (request: MessageRequest) => number | PromiseLike<number>;
    /**
     * What becomes of requests with a price that is known only later: batches, and sessions, deployments and dreams of
     * agents that run at Anthropic. `refuse`: they are blocked. `allow`: they are sent, and never charged. Absent:
     * `refuse`.
     */
    pricedLater?: 'refuse' | 'allow';
    /** How often the client retries, if its `maxRetries` is not 2. `wrapAnthropic` knows it. */
    maxRetries?: number;
  };

/** Returns the options that say which agent calls, and under which mandate. */
export function agentOptionsOf({ agentId, mandate }: AgentOptions): AgentOptions {
  return { ...(agentId !== undefined && { agentId }), ...(mandate !== undefined && { mandate }) };
}
