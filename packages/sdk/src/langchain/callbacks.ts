/** The callback handler for graphs that were not made with `createAgent`. */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { Serialized } from '@langchain/core/load/serializable';
import type { BaseMessage } from '@langchain/core/messages';
import type { LLMResult } from '@langchain/core/outputs';
import type { AgentSource } from '../adapters/agent-source.ts';
import { countedTokens, maxOutputOf, tokensOfText } from '../adapters/count-tokens.ts';
import { outcomeOfAnswer } from '../adapters/outcome-of-delivery.ts';
import { RunningCalls } from '../adapters/running-calls.ts';
import { isObject } from '../create-action.ts';
import type { Agent, Call } from '../types.ts';
import { describedBy } from './describe-model.ts';
import type { LangChainOptions } from './options.ts';
import { usageOf } from './usage.ts';

/**
 * Returns a callback handler that requests a decision before each model call and each tool call. Pass the handler to
 * the run and not to a model or a tool. Then LangChain also calls it for agents that a tool starts. The handler throws
 * an error for every refusal, and for every call that must wait for a person. It cannot abort a running call. After a
 * kill, the handler ends a stream at the next token.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateCallbacks(mandate: AgentSource, options: LangChainOptions = {}): BaseCallbackHandler {
  return new MandateCallbacks(mandate.agent(options), options);
}

class MandateCallbacks extends BaseCallbackHandler {
  readonly name = 'mandate';
  /** LangChain ignores a refusal and runs the tool, unless these two are true. */
  override raiseError = true;
  override awaitHandlers = true;
  readonly #agent: Agent;
  readonly #options: LangChainOptions;
  // LangChain does not report the end of every call that was aborted.
  readonly #running = new RunningCalls();

  constructor(agent: Agent, options: LangChainOptions) {
    super();
    this.#agent = agent;
    this.#options = options;
  }

  override async handleToolStart(
    tool: Serialized,
    input: string,
    runId: string,
    _parentRunId?: string,
    _tags?: string[],
    _metadata?: Record<string, unknown>,
    runName?: string,
  ): Promise<void> {
    const name = runName ?? tool.name ?? tool.id?.at(-1) ?? 'unknown';
    await this.#start(runId, { type: 'tool_call', tool: name, args: argsOf(input) });
  }

  override handleToolEnd(_output: unknown, runId: string): Promise<void> {
    return this.#running.ended(runId, { status: 'success' });
  }

  override handleToolError(_error: unknown, runId: string): Promise<void> {
    return this.#running.ended(runId, { status: 'failure' });
  }

  override handleChatModelStart(
    _llm: Serialized,
    messages: BaseMessage[][],
    runId: string,
    _parentRunId?: string,
    extraParams?: Record<string, unknown>,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): Promise<void> {
    const { tools } = (extraParams?.invocation_params ?? {}) as { tools?: unknown };
    const read = messages
      .flat()
      .map((message) => [message.content, (message as { tool_calls?: unknown }).tool_calls]);
    return this.#startModel(runId, JSON.stringify([read, tools]), metadata);
  }

  override handleLLMStart(
    _llm: Serialized,
    prompts: string[],
    runId: string,
    _parentRunId?: string,
    _extraParams?: Record<string, unknown>,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): Promise<void> {
    return this.#startModel(runId, prompts.join('\n'), metadata);
  }

  override handleLLMNewToken(_token: string, _at: unknown, runId: string): void {
    this.#running.get(runId)?.signal.throwIfAborted();
  }

  override handleLLMEnd(result: LLMResult, runId: string): Promise<void> {
    return this.#running.ended(runId, outcomeOfAnswer(usageOf(result)));
  }

  override handleLLMError(_error: unknown, runId: string): Promise<void> {
    return this.#running.ended(runId, { status: 'failure' });
  }

  async #startModel(runId: string, input: string, metadata: Record<string, unknown> = {}): Promise<void> {
    const { countTokens = tokensOfText } = this.#options;
    const { maxOutputTokens, ...described } = describedBy(metadata);
    const named = { agentId: this.#agent.agentId, model: described.model };
    const inputTokens = await countedTokens(() => countTokens(input), named);
    const most = maxOutputOf(maxOutputTokens, this.#options);
    await this.#start(runId, { type: 'llm_call', ...described, inputTokens, ...most });
  }

  async #start(runId: string, call: Call): Promise<void> {
    this.#running.started(runId, await this.#agent.start(call));
  }
}

/** LangChain writes arguments as JSON. A tool with one text as its input gets the text itself. */
function argsOf(input: string): unknown {
  try {
    const args: unknown = JSON.parse(input);
    if (isObject(args)) return args;
  } catch {
    // The input is a text.
  }
  return { input };
}
