/**
 * `@mandate/sdk/anthropic`: puts the LLM calls of Anthropic's SDK under a mandate. `wrapAnthropic` returns a copy of a
 * client. `mandateMiddleware` is for a client that you create yourself.
 *
 * One logical call is one action, even if the SDK retries it. Each turn of a tool runner is a separate call. The call
 * reserves its estimated input and its `max_tokens`. It is settled at the cost of the usage that Anthropic states. A
 * stream that ends early costs its input and the delivered part.
 *
 * Calls that may cost money and cannot be decided are refused: batches, sessions, deployments and dreams of agents that
 * run at Anthropic, and every unknown path. The option `ungoverned` lists paths that run without a decision.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { mandateMiddleware } from './middleware.ts';
export type { AnthropicOptions } from './options.ts';
export type { MessageRequest } from './requests.ts';
export { type AnthropicClient, wrapAnthropic } from './wrap-anthropic.ts';
