/** The part of a provider's protocol that a proxy needs to decide a call, and to settle it by its answer. */
import type { Fields } from '../adapters/read-answers.ts';
import type { BodyWatcher, StreamEnd } from '../adapters/watch-body.ts';
import type { PlannedReply, RunningCall } from '../openai/running-call.ts';

/** The request of a client, with its path after the base URL of the provider's own SDK. */
export type ClientRequest = { path: string; body: Fields };

/** A call of a model, as its request states it. */
export type ModelRequest = PlannedReply & {
  /** Empty if the request names no model. */
  model: string;
  /** The maximum number of tokens that the model may write. Absent if the mandate states this number. */
  maxOutputTokens?: number;
  /**
   * Whether the proxy must ask for the usage of the stream, because the client did not. The client does not get this
   * usage.
   */
  hidesUsage: boolean;
};

/** Watches an answer on its way to the client, and settles its call. */
export type AnswerWatcher = {
  /** Reads the next piece. Returns the bytes for the client, which may be empty. Never throws. */
  take(bytes: Uint8Array): Promise<Uint8Array>;
  /** Settles the call. Call it once, before the client gets the end of the answer. Never throws. */
  end(how: StreamEnd): Promise<void>;
};

export type ModelProtocol = {
  /**
   * Reads the call of a model. Null: the path is not a call that can be decided.
   *
   * @param options.includeUsage false if the provider refuses `stream_options`
   * @throws MandateBlockedError INTERNAL_ERROR: the tokens could not be counted
   */
  plan(
    request: ClientRequest,
    options: { agentId: string; includeUsage: boolean },
  ): Promise<ModelRequest | null>;
  /** @param isEvents true if the answer is sent as events */
  watch(call: RunningCall<ModelRequest>, isEvents: boolean): AnswerWatcher;
};

/** Returns the watcher of an answer that nothing in this process reads again. */
export function answerWatcher({ piece, replace, end }: Omit<BodyWatcher, 'signal'>): AnswerWatcher {
  return {
    async take(bytes) {
      piece?.(bytes);
      return (await replace?.(bytes)) ?? bytes;
    },
    end,
  };
}
