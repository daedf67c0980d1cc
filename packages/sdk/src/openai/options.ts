/** What the caller of `wrapOpenAI` can choose. */
import type { CallOptions } from '../types.ts';

/** A request that is about to be decided. */
export type OpenAIRequest = { path: string; model: string; body: Readonly<Record<string, unknown>> };

export type WrapOpenAIOptions = {
  /** The provider that the client calls. Absent: `openai`. State it if the client has another base URL. */
  provider?: string;
  /**
   * The most output tokens of a request that states no limit of its own. Absent: 4,096. Null: the `defaultTokens` of
   * the mandate count. A longer reply is charged in full.
   */
  maxOutputTokens?: number | null;
  /** Counts the input tokens of a request. Absent: one token for three bytes of the request, rounded up. */
  countTokens?: (request: OpenAIRequest) => number | Promise<number>;
  /**
   * Asks for usage at the end of each stream, and keeps it from the caller, who did not ask. Absent: true. False: for a
   * provider that refuses `stream_options`. Its streams keep their reservation charged.
   */
  includeUsage?: boolean;
  /**
   * Paths of calls that run without a decision, although they may cost money: `/images/generations`, `/audio/*`.
   * Absent: they are refused. A star is any part of a path.
   */
  ungoverned?: readonly string[];
  /** The principal, the context and the like of each call. A function reads them from the request. */
  callOptions?: CallOptionsOfRequest | ((request: OpenAIRequest) => CallOptionsOfRequest);
};

/** The signal of a call is the signal of the request. */
type CallOptionsOfRequest = Omit<CallOptions, 'signal'>;
