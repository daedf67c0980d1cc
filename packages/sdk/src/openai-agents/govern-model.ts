/** Asks before each model call, and settles it by the tokens that the provider billed. */
import type { Model, ModelProvider, ModelRequest, StreamEvent } from '@openai/agents';
import { DEFAULT_MAX_OUTPUT_TOKENS, estimateTokens } from '../adapters/estimate-tokens.ts';
import { replacing } from '../adapters/replace-methods.ts';
import { runUntilAborted } from '../adapters/run-until-aborted.ts';
import type { AgentOptions, MandateInstance } from '../mandate.ts';
import type { Agent, RunningAction } from '../types.ts';
import { usageOf } from './usage.ts';

export type GovernModelOptions = {
  /** The provider that is named in decisions. Absent: `openai`. */
  provider?: string;
  /** The output tokens that a model call reserves if its settings state no limit. Absent: 4,096. */
  maxOutputTokens?: number;
  /** Counts the tokens of a text. Absent: one token for each three bytes. */
  countTokens?: (text: string) => number;
};

export type TokenRules = Required<GovernModelOptions>;

export function tokenRulesOf(options: GovernModelOptions): TokenRules {
  return {
    provider: options.provider ?? 'openai',
    maxOutputTokens: options.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    countTokens: options.countTokens ?? estimateTokens,
  };
}

/**
 * Returns a provider. Its models ask before each call. Give it to the `Runner` as its `modelProvider`.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function governProvider<P extends ModelProvider>(
  mandate: MandateInstance,
  provider: P,
  options: AgentOptions & GovernModelOptions = {},
): P {
  const agent = mandate.agent(options);
  const rules = tokenRulesOf(options);
  return replacing(provider, {
    getModel: (original) => async (name) =>
      governModel(agent, (await original(name)) as Model, name as string | undefined, rules),
  });
}

/** @param name the name of the model; absent: the model may know it */
export function governModel(agent: Agent, model: Model, name: string | undefined, rules: TokenRules): Model {
  const start = (request: ModelRequest) => startCall(agent, request, name ?? nameOf(model), rules);
  return replacing(model, {
    getResponse: () => async (given) => {
      const request = given as ModelRequest;
      const running = await start(request);
      return runUntilAborted(running.signal, () => respond(model, request, running));
    },
    getStreamedResponse: () => (given) => stream(model, given as ModelRequest, start, rules),
  });
}

/** Models have no common field for their name. A model without a name has no price. */
function nameOf(model: Model): string {
  const { model: named, modelName } = model as { model?: unknown; modelName?: unknown };
  if (typeof named === 'string') return named;
  return typeof modelName === 'string' ? modelName : 'unknown';
}

function startCall(
  agent: Agent,
  request: ModelRequest,
  model: string,
  { provider, maxOutputTokens, countTokens }: TokenRules,
): Promise<RunningAction> {
  return agent.start({
    type: 'llm_call',
    provider,
    model,
    inputTokens: inputTokensOf(request, countTokens),
    maxOutputTokens: request.modelSettings.maxTokens ?? maxOutputTokens,
    ...(request.signal === undefined ? {} : { options: { signal: request.signal } }),
  });
}

function inputTokensOf(request: ModelRequest, countTokens: TokenRules['countTokens']): number {
  const { systemInstructions, input, tools, handoffs } = request;
  return Math.max(1, Math.ceil(countTokens(JSON.stringify([systemInstructions, input, tools, handoffs]))));
}

async function respond(model: Model, request: ModelRequest, { signal, settle }: RunningAction) {
  try {
    const response = await model.getResponse({ ...request, signal });
    const usage = usageOf(response.usage);
    await settle({ status: 'success', ...(usage === null ? {} : { usage }) });
    return response;
  } catch (error) {
    await settle({ status: 'failure' });
    throw error;
  }
}

/** A stream that ends early is charged by what was delivered. */
async function* stream(
  model: Model,
  request: ModelRequest,
  start: (request: ModelRequest) => Promise<RunningAction>,
  { countTokens }: TokenRules,
): AsyncGenerator<StreamEvent> {
  const { signal, settle } = await start(request);
  let delivered = '';
  let isDone = false;
  try {
    for await (const event of model.getStreamedResponse({ ...request, signal })) {
      if (event.type === 'output_text_delta') delivered += event.delta;
      if (event.type === 'response_done') {
        isDone = true;
        const usage = usageOf(event.response.usage);
        await settle({ status: 'success', ...(usage === null ? {} : { usage }) });
      }
      yield event;
    }
    signal.throwIfAborted();
  } finally {
    if (!isDone) await settle({ status: 'failure', ...partOf(request, delivered, countTokens) });
  }
}

function partOf(request: ModelRequest, delivered: string, countTokens: TokenRules['countTokens']) {
  if (delivered === '') return {};
  const outputTokens = Math.max(1, Math.ceil(countTokens(delivered)));
  return { usage: { inputTokens: inputTokensOf(request, countTokens), outputTokens } };
}
