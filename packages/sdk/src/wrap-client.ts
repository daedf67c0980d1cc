/** Passes a client of a provider to the adapter for its SDK. The fields of the client decide, not its class. */
import type { AgentSource } from './adapters/agent-source.ts';
import type { AnthropicOptions } from './anthropic/options.ts';
import { type AnthropicClient, wrapAnthropic } from './anthropic/wrap-anthropic.ts';
import { misused } from './errors.ts';
import type { OpenAIOptions } from './openai/options.ts';
import { isOpenAIClient, type OpenAIClient, wrapOpenAI } from './openai/wrap-openai.ts';

/** A client that `mandate.wrap` knows. */
export type Wrappable = OpenAIClient | AnthropicClient;

/** The options of the adapter for the client. */
export type WrapOptions<T extends Wrappable> = T extends OpenAIClient ? OpenAIOptions : AnthropicOptions;

/**
 * @param mandate is asked for the agent only if an adapter accepts the client, because this call may add a mandate
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function wrapClient<T extends Wrappable>(client: T, mandate: AgentSource, options: object): T {
  if (isOpenAIClient(client)) return wrapOpenAI(client, mandate, options);
  if (isAnthropicClient(client)) return wrapAnthropic(client, mandate, options);
  throw misused(
    'No adapter knows this client.',
    'Give a client of `openai` or `@anthropic-ai/sdk`. For other frameworks use a subpath of @mandate/sdk.',
  );
}

function isAnthropicClient(client: unknown): client is AnthropicClient {
  const { messages, middleware, withOptions } = (client ?? {}) as Partial<AnthropicClient> & {
    messages?: unknown;
  };
  return typeof messages === 'object' && Array.isArray(middleware) && typeof withOptions === 'function';
}
