/**
 * `@mandate/sdk/langchain`: puts the model calls and tool calls of a LangChain agent under a mandate.
 *
 * Promises: a tool runs only after an ALLOW, with the decided arguments. A refused tool call becomes a `ToolMessage`
 * with status `error`, which the model reads. A refused model call ends the run, and `findMandateError` finds the
 * refusal in the error. A call that a person must approve interrupts the graph. After the approval the resumed graph
 * makes exactly this call, once. An agent that a tool starts needs its own middleware, or callbacks.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { mandateCallbacks } from './callbacks.ts';
export { mandateMiddleware } from './middleware.ts';
export type { LangChainOptions } from './options.ts';
