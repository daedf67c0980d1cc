/**
 * Requests a decision before each model call of an agent, and settles the call by the tokens that the provider billed.
 */
import { createHash } from 'node:crypto';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import type { WrapModelCallHook } from 'langchain';
import { bytesOf, countedTokens, maxOutputOf, tokensOfText } from '../adapters/count-tokens.ts';
import { outcomeOfAnswer, outcomeOfFailure } from '../adapters/outcome-of-delivery.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { findMandateError } from '../errors.ts';
import type { Agent, RunningAction, TokenUsage } from '../types.ts';
import { describeModel } from './describe-model.ts';
import { takeAnswer, waitForAnswer } from './interrupts.ts';
import { type ModelObserver, observeModel } from './observe-model.ts';
import type { LangChainOptions } from './options.ts';
import { runIdOf } from './run-id.ts';
import { usageOf, usageOfMessage } from './usage.ts';

type Request = Parameters<WrapModelCallHook>[0];
type Handler = Parameters<WrapModelCallHook>[1];
type Result = Awaited<ReturnType<Handler>>;

export function governModelCalls(agent: Agent, options: LangChainOptions): WrapModelCallHook {
  const { countTokens = tokensOfText } = options;
  const calls = new CallNumbers();
  return async (request, handler) => {
    const settings = request.modelSettings ?? {};
    const { model, provider, maxOutputTokens } = await describeModel(request.model, settings);
    const input = inputOf(request);
    const inputTokens = await countedTokens(() => countTokens(input), { agentId: agent.agentId, model });
    const runId = runIdOf(request.runtime);
    const key = runId === null ? null : keyOf([runId, provider, model, input]);
    const { signal } = request.runtime;
    const start = () =>
      agent.start({
        type: 'llm_call',
        model,
        ...(provider === undefined ? {} : { provider }),
        inputTokens,
        ...maxOutputOf(maxOutputTokens, options),
        options: {
          ...(runId === null || key === null ? {} : { runId, callId: `${key}_${calls.next(key)}` }),
          ...(signal === undefined ? {} : { signal }),
        },
      });
    const running = await startOrWait(start);
    if (key !== null) calls.started(key);
    return run(running, { request, handler, inputTokens });
  };
}

function keyOf(parts: readonly unknown[]): string {
  return `model_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

/** Starts the call. A call that a person must approve interrupts the graph. */
async function startOrWait(start: () => Promise<RunningAction>): Promise<RunningAction> {
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      const running = await start();
      if (!hasWaited && running.decision.grantConsumed) takeAnswer();
      return running;
    } catch (thrown) {
      const error = findMandateError(thrown);
      if (error?.code !== 'APPROVAL_REQUIRED') throw thrown;
      waitForAnswer(error);
    }
  }
}

type Call = { request: Request; handler: Handler; inputTokens: number };

function run({ signal, settle }: RunningAction, { request, handler, inputTokens }: Call): Promise<Result> {
  let billed: TokenUsage | null = null;
  let deliveredBytes = 0;
  const observer: ModelObserver = {
    name: 'mandate',
    awaitHandlers: true,
    handleLLMEnd(result) {
      billed = usageOf(result);
    },
    handleLLMNewToken(token) {
      deliveredBytes += bytesOf(token);
    },
  };
  const governed = { ...request, model: observeModel(request.model, signal, observer) };
  return runUntilAborted(signal, async () => {
    try {
      const result = await handler(governed);
      await settle(outcomeOfAnswer(billed ?? usageOfMessage(result)));
      return result;
    } catch (error) {
      // The provider bills an answer that LangChain could not use, and the part of an answer that broke off.
      await settle(billed === null ? outcomeOfFailure(deliveredBytes, inputTokens) : outcomeOfAnswer(billed));
      throw error;
    }
  });
}

/** Returns the input of the model as one text. */
function inputOf({ systemMessage, messages, tools }: Request): string {
  const read = [systemMessage, ...messages].map((message) => {
    const { content, tool_calls } = message as { content: unknown; tool_calls?: unknown };
    return [content, tool_calls];
  });
  return JSON.stringify([read, tools.map(toolAsJson)]);
}

const toolsAsJson = new WeakMap<object, unknown>();

function toolAsJson(tool: Request['tools'][number]): unknown {
  let json = toolsAsJson.get(tool);
  if (json === undefined) {
    json = jsonOf(tool);
    toolsAsJson.set(tool, json);
  }
  return json;
}

function jsonOf(tool: Request['tools'][number]): unknown {
  try {
    return convertToOpenAITool(tool as Parameters<typeof convertToOpenAITool>[0]);
  } catch {
    return String((tool as { name?: unknown }).name);
  }
}

/** The maximum number of numbered calls. */
const MOST_NUMBERED = 10_000;

/**
 * Numbers the calls with the same input in one step of a graph. A call that waits for a person keeps its number, so the
 * resumed step requests the same action.
 */
class CallNumbers {
  readonly #started = new Map<string, number>();

  next(key: string): number {
    return this.#started.get(key) ?? 0;
  }

  started(key: string): void {
    const number = this.next(key) + 1;
    this.#started.delete(key);
    this.#started.set(key, number);
    if (this.#started.size > MOST_NUMBERED) this.#started.delete(this.#started.keys().next().value as string);
  }
}
