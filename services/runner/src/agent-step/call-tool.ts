/** One call of a tool in a step. It runs only after an ALLOW, and its result is on the log before its outcome is reported. */
import type { Json } from '@mandate/schemas';
import { findMandateError, type RunningAction } from '@mandate/sdk/plane';
import { ToolUnavailable, ToolUncertain } from '../tools/tool-errors.ts';
import type { BoundTool, ToolResult } from '../tools/tool-servers.ts';
import type { CallAnswer, CallOutcome, Refused } from './call-event.ts';
import type { AgentStepDeps } from './port.ts';
import { type StepCalls, uncertain } from './step-calls.ts';
import { failed, type StepStopped, stopOf, stopOfRefusal } from './stopped.ts';
import { untilAborted } from './until-aborted.ts';

type ToolAnswer = Extract<CallAnswer, { type: 'tool' }> | Refused;

type AskedTool = {
  actionId: string;
  agentId: string;
  tool: string;
  args: Readonly<Record<string, Json>>;
  /** Null: the agent has no tool of this name. Mandate is asked nevertheless, so that its refusal is recorded. */
  bound: BoundTool | null;
  /** True if both the server and the author of the manifest state that a second call does no harm. */
  mayRepeat: boolean;
};

type Deps = Pick<AgentStepDeps, 'mandateFor' | 'signal'>;

/** @throws StepStopped, or the reason of the signal */
export async function callTool(asked: AskedTool, calls: StepCalls, deps: Deps): Promise<ToolAnswer> {
  const { actionId, tool, mayRepeat } = asked;
  const known = calls.known(actionId)?.answer;
  if (known?.type === 'tool') return known;
  if (known?.type === 'refused') return told(known);
  const attempt = await calls.prepare(actionId, { tool, mayRepeat });
  if (typeof attempt !== 'number') {
    await calls.refuse(actionId, attempt);
    return told(attempt);
  }
  await calls.begin(actionId, { type: 'tool', tool });
  const started = await start(asked, calls, deps);
  if ('type' in started) {
    await calls.refuse(actionId, started);
    return told(started);
  }
  // The SDK requests a further attempt if an earlier attempt failed or lost its lease. If the log does not contain the
  // result of the earlier attempt, another runner may have made this call.
  const { state = 'begun' } = calls.known(actionId) ?? {};
  if (!mayRepeat && state === 'begun' && started.decision.attempt > attempt) {
    await started.settle({ status: 'cancelled' });
    throw uncertain(actionId, tool);
  }
  return run(asked, started, calls, deps);
}

/**
 * Returns the call that may run now, or the refusal of Mandate.
 *
 * @throws StepStopped, or the reason of the signal
 */
async function start(
  { actionId, agentId, tool, args, mayRepeat }: AskedTool,
  calls: StepCalls,
  { mandateFor, signal }: Deps,
): Promise<RunningAction | Refused> {
  try {
    const options = { actionId, idempotencyKey: actionId, signal };
    const agent = mandateFor(agentId).agent();
    return await calls.ask(actionId, { tool, mayRepeat }, () =>
      agent.start({ type: 'tool_call', tool, args, options }),
    );
  } catch (error) {
    signal.throwIfAborted();
    const stop = stopOf(error, { actionId, tool });
    if (stop === null) throw error;
    const refused = findMandateError(error);
    if (refused === null || !isAnswer(stop)) throw stop;
    return { type: 'refused', code: refused.code, text: refused.message };
  }
}

function isAnswer({ result }: StepStopped): boolean {
  return result.status === 'failed' && result.kind !== 'transient';
}

/** After these refusals, every other call of the agent would be refused too, so they end the step. */
const ENDS_STEP: ReadonlySet<string> = new Set(['AGENT_KILLED', 'TENANT_CLOSED']);

/** @throws StepStopped if the step cannot continue after the refusal */
function told(refused: Refused): Refused {
  if (ENDS_STEP.has(refused.code)) throw stopOfRefusal(refused);
  return refused;
}

const NO_SERVER: ToolResult = { text: 'This tool has no server here, so it did not run.', isError: true };

async function run(
  { actionId, tool, bound, mayRepeat }: AskedTool,
  running: RunningAction,
  calls: StepCalls,
  { signal }: Deps,
): Promise<ToolAnswer> {
  const { args, decision } = running;
  const complete = async (answer: CallAnswer, outcome: CallOutcome) => {
    await calls.complete(actionId, { attempt: decision.attempt, answer, outcome });
    await running.settle(outcome);
  };
  if (bound === null) {
    const answer = { type: 'tool', ...NO_SERVER } as const;
    await complete(answer, { status: 'cancelled' });
    return answer;
  }
  let result: ToolResult;
  try {
    const options = { idempotencyKey: actionId, signal: running.signal };
    result = await untilAborted(running.signal, () => bound.call(args, options));
  } catch (error) {
    signal.throwIfAborted();
    const stop = stopOfRun(error, { actionId, tool, mayRepeat });
    // After a kill, a call with effects stays open on the log. So before a retry, a person must say whether the call
    // was done.
    if (stop.result.status === 'failed' && (mayRepeat || !mayHaveRun(error))) {
      const { code, message } = stop.result;
      const status = error instanceof ToolUnavailable ? 'cancelled' : 'failure';
      await complete({ type: 'failed', code, message }, { status });
    }
    throw stop;
  }
  const answer = { type: 'tool', ...result } as const;
  await complete(answer, { status: result.isError ? 'failure' : 'success' });
  return answer;
}

/** @throws the error, if it is not an error of a call */
function stopOfRun(
  error: unknown,
  subject: { actionId: string; tool: string; mayRepeat: boolean },
): StepStopped {
  const { actionId, tool, mayRepeat } = subject;
  const stop = stopOf(error, subject);
  const isKilled = stop?.result.status === 'failed' && stop.result.kind === 'hard block';
  if (mayHaveRun(error) && !isKilled && !mayRepeat) return uncertain(actionId, tool);
  if (error instanceof ToolUncertain) return failed('TOOL_GAVE_NO_RESULT', error.message, 'transient');
  if (stop === null) throw error;
  return stop;
}

/** A refusal by Mandate after the ALLOW aborts a running call. */
function mayHaveRun(error: unknown): boolean {
  return error instanceof ToolUncertain || findMandateError(error) !== null;
}
