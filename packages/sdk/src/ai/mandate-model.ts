/**
 * A middleware for models of the AI SDK. Each attempt of a model call is one action: the SDK calls the middleware again
 * for a retry, and gives it no id of the call.
 */
import type { LanguageModelMiddleware } from 'ai';
import { DEFAULT_MAX_OUTPUT_TOKENS } from '../adapters/estimate-tokens.ts';
import { MandateBlockedError } from '../errors.ts';
import { bytesOf } from '../model-calls/estimate-tokens.ts';
import { type AnswerEnd, type Delivery, outcomeOfDelivery } from '../model-calls/outcome-of-delivery.ts';
import { startCall } from '../model-calls/start-call.ts';
import type { Agent, RunningAction } from '../types.ts';
import { type AiOptions, agentOf, callOptionsOf, type MandateLike } from './options.ts';
import { estimatedInputTokens, usageOf } from './tokens.ts';
import { watchParts } from './watch-parts.ts';

/** The options of a model call, as the SDK gives them to a model. Both majors have these fields. */
export type ModelCall = Record<string, unknown> & {
  prompt: unknown;
  maxOutputTokens?: number | undefined;
  abortSignal?: AbortSignal | undefined;
};

export type ModelOptions = Omit<AiOptions, 'runId'> & {
  /** The provider in rules and prices. Absent: the first word of the model's provider, such as `openai`. */
  provider?: string;
  /**
   * Counts the input tokens of a call, for the reservation. Absent: they are estimated from the length of the prompt,
   * rather too high than too low. If the function throws, the call is blocked.
   */
  countTokens?: (call: ModelCall) => number | PromiseLike<number>;
  /** The most output tokens that are reserved if a call states none. Absent: 4,096. */
  maxOutputTokens?: number;
};

type Part = { type: string; delta?: unknown; usage?: unknown };
type Model = {
  provider: string;
  modelId: string;
  doGenerate(call: ModelCall): PromiseLike<{ usage?: unknown }>;
  doStream(call: ModelCall): PromiseLike<{ stream: ReadableStream<Part> }>;
};

/**
 * Returns a middleware for `wrapLanguageModel`, for AI SDK 6 and 7. Put it last, so that it sees what is sent.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateModel(mandate: MandateLike, options: ModelOptions = {}): LanguageModelMiddleware {
  const agent = agentOf(mandate, options);
  const middleware = {
    specificationVersion: 'v4',
    wrapGenerate: ({ model, params }: { model: Model; params: ModelCall }) =>
      generate(agent, options, model, params),
    wrapStream: ({ model, params }: { model: Model; params: ModelCall }) =>
      stream(agent, options, model, params),
  };
  return middleware as unknown as LanguageModelMiddleware;
}

async function generate(agent: Agent, options: ModelOptions, model: Model, params: ModelCall) {
  const { running, signal, inputTokens } = await start(agent, options, model, params);
  try {
    const result = await model.doGenerate({ ...params, abortSignal: signal });
    const delivery = { usage: usageOf(result.usage), started: null, deliveredBytes: 0 };
    await running.settle(outcomeOfDelivery('whole', delivery, inputTokens));
    return result;
  } catch (error) {
    throw await failed(running, signal, inputTokens, error);
  }
}

async function stream(agent: Agent, options: ModelOptions, model: Model, params: ModelCall) {
  const { running, signal, inputTokens } = await start(agent, options, model, params);
  let result: Awaited<ReturnType<Model['doStream']>>;
  try {
    result = await model.doStream({ ...params, abortSignal: signal });
  } catch (error) {
    throw await failed(running, signal, inputTokens, error);
  }
  const delivery: Delivery = { usage: null, started: null, deliveredBytes: 0 };
  let end: AnswerEnd = 'broken';
  const watched = watchParts(result.stream, {
    signal,
    part({ type, delta, usage }) {
      if (typeof delta === 'string') delivery.deliveredBytes += bytesOf(delta);
      if (type === 'finish') {
        delivery.usage = usageOf(usage);
        end = 'whole';
      }
    },
    async end(how) {
      // A stream without its last part was cut, even if it was closed in order.
      const read = end === 'broken' && how === 'left' ? 'left' : end;
      await running.settle(outcomeOfDelivery(read, delivery, inputTokens));
    },
  });
  return { ...result, stream: watched };
}

/** Settles a call that has no answer. Returns the error to throw. */
async function failed(
  running: RunningAction,
  signal: AbortSignal,
  inputTokens: number,
  error: unknown,
): Promise<unknown> {
  // The model may have read the input of a call that was aborted.
  const usage = signal.aborted ? { usage: { inputTokens, outputTokens: 0 } } : {};
  await running.settle({ status: 'failure', ...usage });
  return running.signal.aborted ? running.signal.reason : error;
}

type Started = { running: RunningAction; signal: AbortSignal; inputTokens: number };

async function start(agent: Agent, options: ModelOptions, model: Model, params: ModelCall): Promise<Started> {
  const { provider = model.provider.split('.')[0] ?? model.provider, countTokens } = options;
  const inputTokens = await counted(countTokens ?? estimatedInputTokens, params, agent, model);
  const maxOutputTokens = params.maxOutputTokens ?? options.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
  const call = {
    type: 'llm_call' as const,
    provider,
    model: model.modelId,
    inputTokens,
    maxOutputTokens,
    options: callOptionsOf(options),
  };
  const running = await startCall(agent, call, params.abortSignal);
  const signals = [running.signal, params.abortSignal].filter((one) => one !== undefined);
  return { running, signal: AbortSignal.any(signals), inputTokens };
}

async function counted(
  countTokens: NonNullable<ModelOptions['countTokens']>,
  call: ModelCall,
  { agentId }: Agent,
  { modelId }: Model,
): Promise<number> {
  try {
    return await countTokens(call);
  } catch (cause) {
    throw new MandateBlockedError('INTERNAL_ERROR', {
      reason: 'The tokens of the call could not be counted.',
      remedy: 'Nothing ran. Tell the operator of the agent.',
      action: { id: '', agentId, type: 'llm_call', model: modelId },
      decision: null,
      cause,
    });
  }
}
