/** Requests a decision before each model call, and settles the call by the tokens that the provider billed. */
import type { Model, ModelProvider, ModelRequest, StreamEvent } from '@openai/agents';
import type { AgentSource } from '../adapters/agent-source.ts';
import {
  bytesOf,
  countedTokens,
  maxOutputOf,
  type TokenOptions,
  tokensOfText,
} from '../adapters/count-tokens.ts';
import { outcomeOfAnswer, outcomeOfFailure } from '../adapters/outcome-of-delivery.ts';
import { replacing } from '../adapters/replace-methods.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import type { AgentOptions } from '../mandate.ts';
import type { Agent, RunningAction } from '../types.ts';
import { usageOf } from './usage.ts';

/** `countTokens` is called with the input of a model call as one text. */
export type GovernModelOptions = TokenOptions<string> & {
  /** The provider in rules and prices. Default: `openai`. */
  provider?: string;
};

/**
 * Returns a provider. Its models request a decision before each call. Pass it to the `Runner` as `modelProvider`.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function governProvider<P extends ModelProvider>(
  mandate: AgentSource,
  provider: P,
  options: AgentOptions & GovernModelOptions = {},
): P {
  const agent = mandate.agent(options);
  return replacing(provider, {
    getModel: (original) => async (name) =>
      governModel(agent, (await original(name)) as Model, name as string | undefined, options),
  });
}

/** @param name the name of the model; absent: the model may know it */
export function governModel(
  agent: Agent,
  model: Model,
  name: string | undefined,
  options: GovernModelOptions,
): Model {
  const start = (request: ModelRequest) => startModelCall(agent, request, name ?? nameOf(model), options);
  return replacing(model, {
    getResponse: () => async (given) => {
      const request = given as ModelRequest;
      const { running } = await start(request);
      return runUntilAborted(running.signal, () => respond(model, request, running));
    },
    getStreamedResponse: () => (given) => stream(model, given as ModelRequest, start),
  });
}

/** Models have no common field for their name. A model without a name has no price. */
function nameOf(model: Model): string {
  const { model: named, modelName } = model as { model?: unknown; modelName?: unknown };
  if (typeof named === 'string') return named;
  return typeof modelName === 'string' ? modelName : 'unknown';
}

type Started = { running: RunningAction; inputTokens: number };

async function startModelCall(
  agent: Agent,
  request: ModelRequest,
  model: string,
  options: GovernModelOptions,
): Promise<Started> {
  const { provider = 'openai', countTokens = tokensOfText } = options;
  const { systemInstructions, input, tools, handoffs, modelSettings, signal } = request;
  const read = JSON.stringify([systemInstructions, input, tools, handoffs]);
  const inputTokens = await countedTokens(() => countTokens(read), { agentId: agent.agentId, model });
  const running = await agent.start({
    type: 'llm_call',
    provider,
    model,
    inputTokens,
    ...maxOutputOf(modelSettings.maxTokens, options),
    ...(signal === undefined ? {} : { options: { signal } }),
  });
  return { running, inputTokens };
}

async function respond(model: Model, request: ModelRequest, { signal, settle }: RunningAction) {
  try {
    const response = await model.getResponse({ ...request, signal });
    await settle(outcomeOfAnswer(usageOf(response.usage)));
    return response;
  } catch (error) {
    await settle({ status: 'failure' });
    throw error;
  }
}

/** A stream that ends early is charged for the delivered part. */
async function* stream(
  model: Model,
  request: ModelRequest,
  start: (request: ModelRequest) => Promise<Started>,
): AsyncGenerator<StreamEvent> {
  const { running, inputTokens } = await start(request);
  const { signal, settle } = running;
  let deliveredBytes = 0;
  let isDone = false;
  try {
    for await (const event of model.getStreamedResponse({ ...request, signal })) {
      if (event.type === 'output_text_delta') deliveredBytes += bytesOf(event.delta);
      if (event.type === 'response_done') {
        isDone = true;
        await settle(outcomeOfAnswer(usageOf(event.response.usage)));
      }
      yield event;
    }
    signal.throwIfAborted();
  } finally {
    if (!isDone) await settle(outcomeOfFailure(deliveredBytes, inputTokens));
  }
}
