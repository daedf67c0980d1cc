/**
 * `@mandate/sdk/proxy`: the protocols of model providers, for a proxy that stands between a client and a provider. The
 * proxy reads a request with `plan`, starts the call with `startCall`, and passes each piece of the answer to a
 * watcher. The watcher settles the call by the usage that the provider stated, or by the delivered part.
 */
export { fieldsOf, fieldsOfJson } from '../adapters/read-answers.ts';
export { startCall } from '../adapters/start-call.ts';
export type { StreamEnd } from '../adapters/watch-body.ts';
export { RunningCall } from '../openai/running-call.ts';
export { anthropicProtocol } from './anthropic-protocol.ts';
export type { AnswerWatcher, ClientRequest, ModelProtocol, ModelRequest } from './model-protocol.ts';
export { openaiProtocol } from './openai-protocol.ts';
