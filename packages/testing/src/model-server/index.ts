/** `@mandate/testing/model-server`: a local model provider. It needs no test runner, so examples can start it too. */
export type { ModelReply, ModelScript, ModelToolCall, ModelUsage, ReceivedRequest } from './reply.ts';
export { type ModelServer, startModelServer } from './start-model-server.ts';
