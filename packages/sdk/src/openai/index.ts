/**
 * `@mandate/sdk/openai`: puts a client of OpenAI's SDK under a mandate.
 *
 * Each call of a model is one action: chat completions, responses, completions and embeddings, streamed or not, also
 * through `parse`, `runTools`, `.stream()` and `client.post`. Retries of the SDK belong to the same action. The
 * reservation is the most that the call can cost. The provider's usage settles it. A stream that ended early is charged
 * by what was delivered. Without usage the reservation stays charged.
 *
 * Calls that may cost money and cannot be decided are refused: images, audio, videos, batches, runs of assistants, and
 * every path that is not known. The option `ungoverned` lets them through. A WebSocket of the SDK (`OpenAIRealtimeWS`,
 * `ResponsesWS`) does not go through the client, so it is not governed. Tools that OpenAI runs itself, such as a search,
 * are billed beside the tokens, and only the tokens are charged here.
 */
export type { OpenAIRequest, WrapOpenAIOptions } from './options.ts';
export { type AgentSource, type OpenAIClient, wrapOpenAI } from './wrap-openai.ts';
