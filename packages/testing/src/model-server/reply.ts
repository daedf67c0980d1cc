/** What a test wants the model server to do with a request. */

/** The tokens of a reply. Input counts all tokens, cached or not. Output counts all tokens, with reasoning. */
export type ModelUsage = {
  inputTokens: number;
  /** Input tokens that were read from the cache of the provider. */
  cachedInputTokens?: number;
  /** Input tokens that were written to the cache of the provider. Only Anthropic reports them. */
  cacheWriteTokens?: number;
  outputTokens: number;
  /** Output tokens that the model spent on reasoning. Only OpenAI reports them. */
  reasoningTokens?: number;
};

export type ModelToolCall = { name: string; args: object; id?: string };

export type ModelReply = {
  /** The text. A list is streamed as one event for each element. A string is streamed word by word. */
  text?: string | readonly string[];
  /** Calls of tools that the model asks for. Several are parallel calls. */
  toolCalls?: readonly ModelToolCall[];
  /** Default: 12 input tokens, and one output token for each streamed piece. `missing`: the reply states no usage. */
  usage?: ModelUsage | 'missing';
  /** Why the model stopped. If absent, the model had finished, or asked for tools. */
  stopReason?: 'length';
  /**
   * Answers that come before the reply: errors of this status, the given number of times. Absent `times`: always.
   * `retryAfterMs` becomes the headers `retry-after-ms` and `retry-after`.
   */
  failures?: { status: number; times?: number; retryAfterMs?: number };
  /** How long the server waits before the headers of the answer. */
  delayMs?: number;
  /** How long the server waits between two events of a stream. */
  eventDelayMs?: number;
  /**
   * What goes wrong after this number of events: the connection is cut, nothing more comes, or an event reports an
   * error. An answer that is no stream is cut or hangs before its first byte.
   */
  fault?: { kind: 'cut' | 'hang' | 'error'; afterEvents: number };
  /** Each event is written in pieces of this many bytes. By default, an event is written at once. */
  pieceBytes?: number;
  /** The whole body of the answer. Use it for paths that the server does not know, and for malformed answers. */
  json?: unknown;
};

/**
 * One reply for every request, a list of replies of which the last repeats, or a function. `failures` with `times`
 * keeps its place in the list until its errors were sent. The function is called for each HTTP request, retries
 * included, and the server waits for its promise.
 */
export type ModelScript =
  | ModelReply
  | readonly ModelReply[]
  | ((request: ReceivedRequest) => ModelReply | Promise<ModelReply>);

/** What the server received, and what became of the answer. The server changes this object while it answers. */
export type ReceivedRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The body as JSON. Null if there is none, the text if it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of several protocols
  body: any;
  /** How many events of the stream were written. The end mark of OpenAI counts as an event. */
  eventsSent: number;
  /**
   * `open` while the server answers. `aborted`: the client went away before the end of the answer. `cut`: the server
   * cut the connection, as the script says.
   */
  state: 'open' | 'answered' | 'aborted' | 'cut';
  /** The status of the answer. Null until the headers were written. */
  status: number | null;
};
