/** The options of `wrapOpenAI`. */
import type { TokenOptions } from '../adapters/count-tokens.ts';
import type { AgentOptions } from '../mandate.ts';

/** A request that is about to be decided. */
export type OpenAIRequest = { path: string; model: string; body: Readonly<Record<string, unknown>> };

export type OpenAIOptions = AgentOptions &
  TokenOptions<OpenAIRequest> & {
    /** The provider in rules and prices. Default: `openai`. State the provider if the client has another base URL. */
    provider?: string;
    /**
     * Requests the usage from the provider at the end of each stream. If the caller did not request the usage, the
     * caller does not get it. Default: true. State false for a provider that refuses `stream_options`. Its streams keep
     * their reservation charged.
     */
    includeUsage?: boolean;
    /**
     * Paths of calls that run without a decision and a charge: `/images/generations`, `/audio/*`. A star is any part of
     * a path. By default, calls that cannot be decided are refused.
     */
    ungoverned?: readonly string[];
  };
