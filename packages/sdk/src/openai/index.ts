/**
 * `@mandate/sdk/openai`: puts a client of OpenAI's SDK under a mandate.
 *
 * Each call of a model is one action: chat completions, responses, completions and embeddings, streamed or not. So are
 * the calls of `parse`, `runTools`, `.stream()` and `client.post`. Retries of the SDK belong to the same action. The
 * reservation is the highest expected cost of the call. The usage that the provider states settles it. A stream that
 * ended early is charged for the delivered part. Without usage the reservation stays charged.
 *
 * Calls that may cost money and cannot be decided are refused: images, audio, videos, batches, runs of assistants, and
 * every unknown path. The option `ungoverned` lists paths that run without a decision.
 *
 * A WebSocket of the SDK (`OpenAIRealtimeWS`, `ResponsesWS`) does not go through the client, so it is not governed.
 * Only tokens are charged. OpenAI also bills tools that it runs itself, such as a search.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export type { OpenAIOptions, OpenAIRequest } from './options.ts';
export { type OpenAIClient, wrapOpenAI } from './wrap-openai.ts';
