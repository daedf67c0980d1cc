/** Requests a decision before each tool call of an agent, and settles the call. */
import { ToolMessage, type WrapToolCallHook } from 'langchain';
import { askTool } from '../adapters/ask-tool.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { findMandateError } from '../errors.ts';
import type { Agent, RunningAction } from '../types.ts';
import { isBubbleUp, takeAnswer, waitForAnswer } from './interrupts.ts';
import { runIdOf } from './run-id.ts';

type Request = Parameters<WrapToolCallHook>[0];
type Handler = Parameters<WrapToolCallHook>[1];
type Result = Awaited<ReturnType<Handler>>;

export function governToolCalls(agent: Agent): WrapToolCallHook {
  return async (request, handler) => {
    const { toolCall, runtime } = request;
    const ask = () =>
      askTool(agent, {
        tool: toolCall.name,
        args: toolCall.args,
        runId: runIdOf(runtime),
        callId: toolCall.id,
        signal: runtime.signal,
      });
    let answer = await ask();
    let hasWaited = false;
    while (answer.kind === 'deferred') {
      waitForAnswer(answer.error);
      hasWaited = true;
      answer = await ask();
    }
    if (answer.kind === 'blocked') return refusal(request, answer.error.message);
    if (!hasWaited && answer.running.decision.grantConsumed) takeAnswer();
    return run(answer.running, request, handler);
  };
}

async function run(running: RunningAction, request: Request, handler: Handler): Promise<Result> {
  const { args, signal, settle } = running;
  const decided: Request = {
    ...request,
    toolCall: { ...request.toolCall, args },
    tool: withSignal(request.tool, signal),
  };
  try {
    return await runUntilAborted(signal, work);
  } catch (error) {
    const aborted = signal.aborted ? findMandateError(error) : null;
    if (aborted !== null) return refusal(request, aborted.message);
    throw error;
  }

  async function work(): Promise<Result> {
    let result: Result;
    try {
      result = await handler(decided);
    } catch (error) {
      await settle({ status: 'failure' });
      throw isBubbleUp(error) ? error : asToolError(error);
    }
    const failed = ToolMessage.isInstance(result) && result.status === 'error';
    await settle({ status: failed ? 'failure' : 'success' });
    return result;
  }
}

function refusal({ toolCall }: Request, content: string): ToolMessage {
  return new ToolMessage({
    content,
    name: toolCall.name,
    tool_call_id: toolCall.id ?? '',
    status: 'error',
  });
}

/** Returns the tool with the signal of Mandate. LangChain gives a tool only the signal of the run. */
function withSignal(tool: Request['tool'], signal: AbortSignal): Request['tool'] {
  const invokable = tool as { invoke?: unknown } | undefined;
  if (invokable === undefined || !isInvoke(invokable.invoke)) return tool;
  const { invoke: original } = invokable;
  const invoke = (call: unknown, config?: { signal?: AbortSignal }) => {
    const given = config?.signal;
    const all = given === undefined ? signal : AbortSignal.any([given, signal]);
    return original.call(tool, call, { ...config, signal: all });
  };
  return Object.create(invokable, { invoke: { value: invoke } }) as Request['tool'];
}

type Invoke = (call: unknown, config: object) => unknown;

function isInvoke(value: unknown): value is Invoke {
  return typeof value === 'function';
}

/**
 * Marks an error as an error of the tool. LangChain gives errors of tools to the model, but ends the run at every error
 * that passes through middleware. With the mark, a failing tool ends as it does without this middleware. The error
 * stays the same object, because other middleware reads its class.
 */
function asToolError(error: unknown): unknown {
  const isPlain = error instanceof Error && !('~brand' in error) && Object.isExtensible(error);
  if (isPlain) Object.defineProperty(error, '~brand', { value: 'ToolInvocationError' });
  return error;
}
