/**
 * Wraps the tools of the AI SDK, so that each call is decided before it runs. The wrapped `execute` is the enforcement:
 * it is the only place that every mode of the SDK passes, in both majors.
 */
import { MandateBlockedError } from '../errors.ts';
import { runTool } from '../run-tool.ts';
import type { Agent, CallOptions } from '../types.ts';
import { type AiOptions, agentOf, callOptionsOf, type MandateLike } from './options.ts';

type ExecuteOptions = { toolCallId?: string; abortSignal?: AbortSignal };
type Execute = (input: unknown, options: ExecuteOptions) => unknown;

/** What the approval of a call needs to know about a wrapped tool. */
export type Governed = { agent: Agent; options: CallOptions };

const governed = new WeakMap<object, Governed>();

/** Returns who calls a tool that `mandateTools` returned. Undefined for another tool. */
export function governedOf(tool: object | undefined): Governed | undefined {
  return tool === undefined ? undefined : governed.get(tool);
}

/**
 * Returns the same tools with another `execute`. Tools without `execute` stay as they are: they run elsewhere. The
 * given tools stay as they are too. A refusal is an error of the tool, and its message is for the model.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateTools<T extends Readonly<Record<string, object>>>(
  mandate: MandateLike,
  tools: T,
  options: AiOptions = {},
): T {
  const who = { agent: agentOf(mandate, options), options: callOptionsOf(options) };
  const wrapped = Object.entries(tools).map(([name, tool]) => {
    const { execute } = tool as { execute?: Execute };
    if (typeof execute !== 'function') return [name, tool];
    const copy = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
      execute: wrappedExecute(name, tool, execute, who),
    });
    governed.set(copy, who);
    return [name, copy];
  });
  return Object.fromEntries(wrapped) as T;
}

function wrappedExecute(name: string, tool: object, execute: Execute, who: Governed): Execute {
  // The SDK looks at what `execute` returns before it waits, so a generator must be known by its kind.
  if (Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]') {
    return (input, given) => generated(name, tool, execute, who, input, given ?? {});
  }
  return (input, given = {}) =>
    runTool(who.agent, {
      name,
      args: input,
      fn: async (args, signal) => lastOf(await execute.call(tool, args, { ...given, abortSignal: signal })),
      options: optionsOf(who, given),
      onError: () => {},
    });
}

function optionsOf({ options }: Governed, { toolCallId, abortSignal }: ExecuteOptions): CallOptions {
  return {
    ...options,
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
  who: Governed,
  input: unknown,
  given: ExecuteOptions,
): AsyncGenerator<unknown, unknown> {
  const { action, signal, settle } = await who.agent.start({
    type: 'tool_call',
    tool: name,
    args: input,
    options: optionsOf(who, given),
  });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const args = action.type === 'tool_call' ? action.args : {};
  let source: AsyncIterator<unknown> | null = null;
  try {
    source = (execute.call(tool, args, { ...given, abortSignal: signal }) as AsyncIterable<unknown>)[
      Symbol.asyncIterator
    ]();
    for (;;) {
      const { done, value } = await Promise.race([source.next(), aborted]);
      if (done === true) {
        await settle({ status: 'success' });
        return value;
      }
      yield value;
    }
  } catch (error) {
    await settle({ status: 'failure' });
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // A reader that leaves early has got results, so the call counts as done. After an end this changes nothing.
    await settle({ status: 'success' });
    Promise.resolve(source?.return?.()).catch(() => {});
  }
}

/** The refusal of a tool that is not wrapped. */
export function ungoverned(toolName: string): MandateBlockedError {
  return new MandateBlockedError('UNKNOWN_TOOL', {
    reason: `The tool ${JSON.stringify(toolName.slice(0, 200))} is not under the mandate.`,
    remedy: 'Give the model the tools that `mandateTools` returned.',
    action: { id: '', agentId: '', type: 'tool_call', tool: toolName },
    decision: null,
  });
}
