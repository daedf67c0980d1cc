/**
 * A middleware for models of the AI SDK. Each attempt of a model call is one action: the SDK calls the middleware again
 * for a retry, and gives it no id of the call.
 */
import type { LanguageModelMiddleware } from 'ai';
import type { AgentSource } from '../adapters/agent-source.ts';
import { bytesOf, countedTokens, maxOutputOf, type TokenOptions } from '../adapters/count-tokens.ts';
import {
  type AnswerEnd,
  type Delivery,
  NOTHING,
  outcomeOfAnswer,
  outcomeOfDelivery,
} from '../adapters/outcome-of-delivery.ts';
import { startCall } from '../adapters/start-call.ts';
import { watchedSource } from '../adapters/watch-body.ts';
import type { AgentOptions } from '../mandate.ts';
import type { Agent, RunningAction } from '../types.ts';
import { estimatedInputTokens, usageOf } from './tokens.ts';

/** The options of a model call, as the SDK gives them to a model. Both majors have these fields. */
export type ModelCall = Record<string, unknown> & {
  prompt: unknown;
  maxOutputTokens?: number | undefined;
  abortSignal?: AbortSignal | undefined;
};

export type ModelOptions = AgentOptions &
  TokenOptions<ModelCall> & {
    /** The provider in rules and prices. Default: the first word of the model's provider, such as `openai`. */
    provider?: string;
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
export function mandateModel(mandate: AgentSource, options: ModelOptions = {}): LanguageModelMiddleware {
  const agent = mandate.agent(options);
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
    await running.settle(outcomeOfAnswer(usageOf(result.usage)));
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
  const delivery: Delivery = { ...NOTHING };
  let end: AnswerEnd = 'broken';
  // The AI SDK neither finishes nor cancels a stream after an abort, so the signal ends it here.
  const source = watchedSource<Part>(result.stream, {
    signal,
    piece(part) {
      const { type, delta, usage } = part;
      if (typeof delta === 'string') delivery.deliveredBytes += bytesOf(delta);
      if (type === 'finish') {
        delivery.usage = usageOf(usage);
        end = 'whole';
      }
      return part;
    },
    async end(how) {
      // A stream without its last part was cut, even if it was closed in order.
      const read = end === 'broken' && how === 'left' ? 'left' : end;
      await running.settle(outcomeOfDelivery(read, delivery, inputTokens));
    },
  });
  return { ...result, stream: new ReadableStream<Part>(source, { highWaterMark: 0 }) };
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
  const { provider = model.provider.split('.')[0] ?? model.provider, countTokens = estimatedInputTokens } =
    options;
  const named = { agentId: agent.agentId, model: model.modelId };
  const inputTokens = await countedTokens(() => countTokens(params), named);
  const call = {
    type: 'llm_call' as const,
    provider,
    model: model.modelId,
    inputTokens,
    ...maxOutputOf(params.maxOutputTokens, options),
  };
  const running = await startCall(agent, call, params.abortSignal);
  const signals = [running.signal, params.abortSignal].filter((one) => one !== undefined);
  return { running, signal: AbortSignal.any(signals), inputTokens };
}
