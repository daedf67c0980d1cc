/**
 * Wraps the tools of the AI SDK, so that each call is decided before it runs. The wrapped `execute` is the enforcement:
 * it is the only place that every mode of the SDK passes, in both majors.
 */
import type { AgentSource } from '../adapters/agent-source.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { MandateBlockedError } from '../errors.ts';
import type { AgentOptions } from '../mandate.ts';
import { runTool } from '../run-tool.ts';
import type { Agent, CallOptions } from '../types.ts';

type ExecuteOptions = { toolCallId?: string; abortSignal?: AbortSignal };
type Execute = (input: unknown, options: ExecuteOptions) => unknown;

/** The agents that call the wrapped tools. */
const governed = new WeakMap<object, Agent>();

/** Returns who calls a tool that `mandateTools` returned. Undefined for another tool. */
export function agentOfTool(tool: object | undefined): Agent | undefined {
  return tool === undefined ? undefined : governed.get(tool);
}

/**
 * Returns the same tools with another `execute`. Tools without `execute` stay as they are: they run elsewhere. The
 * given tools stay as they are too. A refusal is an error of the tool, and its message is for the model.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateTools<T extends Readonly<Record<string, object>>>(
  mandate: AgentSource,
  tools: T,
  options: AgentOptions = {},
): T {
  const agent = mandate.agent(options);
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const { execute } = tool as { execute?: Execute };
    if (typeof execute !== 'function') return [name, tool];
    const copy = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
      execute: wrappedExecute(name, tool, execute, agent),
    });
    governed.set(copy, agent);
    return [name, copy];
  });
  return Object.fromEntries(wrapped) as T;
}

function wrappedExecute(name: string, tool: object, execute: Execute, agent: Agent): Execute {
  // The SDK inspects the result of `execute` before it waits, so a generator must be recognized by its kind.
  if (Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]') {
    return (input, given) => generated(name, tool, execute, agent, input, given ?? {});
  }
  return (input, given = {}) =>
    runTool(agent, {
      name,
      args: input,
      fn: async (args, signal) => lastOf(await execute.call(tool, args, { ...given, abortSignal: signal })),
      options: optionsOf(given),
      onError: () => {},
    });
}

function optionsOf({ toolCallId, abortSignal }: ExecuteOptions): CallOptions {
  return {
    ...(toolCallId !== undefined && { callId: toolCallId }),
    ...(abortSignal !== undefined && { signal: abortSignal }),
  };
}

/** A plain function may return a generator too. Its last value is the result. */
async function lastOf(result: unknown): Promise<unknown> {
  if (!isAsyncIterable(result)) return result;
  let last: unknown;
  for await (const value of result) last = value;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Runs a tool that yields results before the last one. */
async function* generated(
  name: string,
  tool: object,
  execute: Execute,
  agent: Agent,
  input: unknown,
  given: ExecuteOptions,
): AsyncGenerator<unknown, unknown> {
  const { args, signal, settle } = await agent.start({
    type: 'tool_call',
    tool: name,
    args: input,
    options: optionsOf(given),
  });
  let source: AsyncIterator<unknown> | null = null;
  let hasFailed = false;
  try {
    const results = execute.call(tool, args, { ...given, abortSignal: signal }) as AsyncIterable<unknown>;
    const iterator = results[Symbol.asyncIterator]();
    source = iterator;
    for (;;) {
      const { done, value } = await runUntilAborted(signal, () => iterator.next());
      if (done === true) return value;
      yield value;
    }
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    // If the reader stops early, it has already got results. So the call counts as a success.
    await settle({ status: hasFailed ? 'failure' : 'success' });
    Promise.resolve(source?.return?.()).catch(() => {});
  }
}

/** The refusal of a tool that is not wrapped. */
export function ungovernedTool(toolName: string): MandateBlockedError {
  return new MandateBlockedError('UNGOVERNED_CALL', {
    reason: `The tool ${JSON.stringify(toolName.slice(0, 200))} is not under the mandate.`,
    remedy: 'Give the model the tools that `mandateTools` returned.',
    action: { id: '', agentId: '', type: 'tool_call', tool: toolName },
    decision: null,
  });
}
