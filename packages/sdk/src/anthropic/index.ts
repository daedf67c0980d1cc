/**
 * `@mandate/sdk/anthropic`: puts the LLM calls of Anthropic's SDK under a mandate. `wrapAnthropic` returns a client like
 * the given one. `mandateMiddleware` is for a client that you make yourself.
 *
 * One logical call is one action, also if the SDK retries it, and each turn of a tool runner is a call. The call
 * reserves its estimated input and its `max_tokens`. It settles to the usage that Anthropic states. A stream that ends
 * early costs its input and what was delivered.
 *
 * Calls that may cost money and cannot be decided are refused: batches, sessions, deployments and dreams of agents that
 * run at Anthropic, and every unknown path. The option `ungoverned` lists paths that run without a decision.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { mandateMiddleware } from './middleware.ts';
export type { AnthropicOptions } from './options.ts';
export type { MessageRequest } from './requests.ts';
export { type AnthropicClient, wrapAnthropic } from './wrap-anthropic.ts';
