/** The options of the adapter for Anthropic's SDK. */
import type { TokenOptions } from '../adapters/count-tokens.ts';
import type { AgentOptions } from '../mandate.ts';
import type { MessageRequest } from './requests.ts';

/** Every request to the Messages API states its limit, so only the input is counted. */
export type AnthropicOptions = AgentOptions &
  Pick<TokenOptions<MessageRequest>, 'countTokens'> & {
    /** The provider in rules and prices. Default: `anthropic`. */
    provider?: string;
    /**
     * Paths of calls that run without a decision and a charge: `/v1/messages/batches`, `/v1/sessions/*`. A star is any
     * part of a path. By default, calls that cannot be decided are refused.
     */
    ungoverned?: readonly string[];
    /** How often the client retries, if its `maxRetries` is not 2. `wrapAnthropic` reads the number from the client. */
    maxRetries?: number;
  };
