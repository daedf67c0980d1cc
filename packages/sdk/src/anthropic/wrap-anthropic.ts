/** Puts the LLM calls of a client of Anthropic under a mandate. */
import type { AgentSource } from '../adapters/agent-source.ts';
import { markWrapped, refuseWrapped } from '../adapters/wrapped-clients.ts';
import type { Agent } from '../types.ts';
import { middlewareOf } from './middleware.ts';
import type { AnthropicOptions } from './options.ts';

/** A client of Anthropic, or of Bedrock, Vertex or Foundry with the same SDK. */
export type AnthropicClient = {
  readonly middleware: readonly object[];
  readonly maxRetries: number;
  /** Each class of clients has its own options. */
  withOptions(options: object): unknown;
};

/**
 * Returns a copy of the client. Its LLM calls are decided first. Clients that `withOptions` of the copy makes are under
 * the mandate too. The given client does not change.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function wrapAnthropic<T extends AnthropicClient>(
  client: T,
  mandate: AgentSource,
  options: AnthropicOptions = {},
): T {
  refuseWrapped(client);
  return underMandate(client, {
    agent: mandate.agent(options),
    options,
    ours: null,
    changes: {},
  });
}

type Wrapping = {
  agent: Agent;
  options: AnthropicOptions;
  /** The middleware that an earlier wrapping of the client added. Null: none. */
  ours: object | null;
  /** The options in which the new client differs from the given one. */
  changes: { middleware?: readonly object[] };
};

function underMandate<T extends AnthropicClient>(client: T, wrapping: Wrapping): T {
  const { agent, options, ours, changes } = wrapping;
  const others = (changes.middleware ?? client.middleware).filter((one) => one !== ours);
  const added = middlewareOf(agent, options, () => options.maxRetries ?? wrapped.maxRetries);
  const { withOptions } = Object.getPrototypeOf(client) as AnthropicClient;
  const wrapped = withOptions.call(client, { ...changes, middleware: [...others, added] }) as T;
  markWrapped(wrapped);
  // A client that `withOptions` makes takes its middleware from the options, so the middleware of Mandate would be
  // lost.
  Object.defineProperty(wrapped, 'withOptions', {
    value: (given: Wrapping['changes']) =>
      underMandate(wrapped, { agent, options, ours: added, changes: given }),
    configurable: true,
    writable: true,
  });
  return wrapped;
}
