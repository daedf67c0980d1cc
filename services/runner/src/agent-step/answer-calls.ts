/** Answers the tool calls of one turn. The calls run at the same time, and each is a separate action. */
import type { ToolCallOfModel } from './call-event.ts';
import { callTool } from './call-tool.ts';
import type { ToldResult } from './messages.ts';
import type { AgentStepDeps, WaitingCall } from './port.ts';
import { loadSkill } from './skills.ts';
import type { AgentStep } from './step.ts';
import type { StepCalls } from './step-calls.ts';
import { StepStopped } from './stopped.ts';
import type { ToolKit } from './tool-kit.ts';

type Answering = {
  step: AgentStep;
  kit: ToolKit;
  calls: StepCalls;
  deps: AgentStepDeps;
  /** The number of tool calls in earlier turns. The ids of tool calls are numbered over all turns. */
  earlierCalls: number;
};

type Answered = {
  results: readonly ToldResult[];
  /** The number of these calls that are actions. */
  made: number;
  /** The answers of Mandate to the calls that it refused. */
  refusals: readonly string[];
};

/** The maximum number of calls of one turn that are made. */
const MOST_CALLS = 16;

const TOO_MANY = `Not run: a turn may have ${MOST_CALLS} calls. Call the tool again in the next turn.`;
const BAD_ARGUMENTS = 'Not run: the arguments are no JSON object, or it is too large or has keys twice.';
const UNBOUND = 'Not run: no server of this tool is configured here.';

type Answer = { text: string; isError: boolean; isRefused?: boolean };

/** @throws StepStopped, or the reason of the signal */
export async function answerCalls(
  asked: readonly ToolCallOfModel[],
  { step, kit, calls, deps, earlierCalls }: Answering,
): Promise<Answered> {
  let made = 0;
  const planned = asked.map((call, index) => {
    const local = index < MOST_CALLS ? localAnswer(call, kit) : { text: TOO_MANY, isError: true };
    if (local !== null) return { call, answer: async () => local };
    made += 1;
    const actionId = calls.idAt(`${step.actionId}:t${earlierCalls + made}`);
    return { call, answer: () => actionAnswer(actionId, call, { step, kit, calls, deps, earlierCalls }) };
  });
  const ended = await Promise.allSettled(planned.map(({ answer }) => answer()));
  const stops = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (stops.length > 0) throw gravest(stops);
  const answers = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  return {
    results: planned.map(({ call }, index) => ({
      name: kit.offeredName(call),
      args: call.args ?? {},
      text: answers[index]?.text ?? '',
      isError: answers[index]?.isError ?? true,
    })),
    made,
    refusals: answers.filter(({ isRefused }) => isRefused).map(({ text }) => text),
  };
}

/** Returns the answer to a call that is not an action. Null: the call is an action. */
function localAnswer({ tool, args, loadsSkill }: ToolCallOfModel, kit: ToolKit): Answer | null {
  if (loadsSkill) return loadSkill(kit.skills, args);
  if (args === null) return { text: BAD_ARGUMENTS, isError: true };
  const found = kit.found.get(tool);
  return found !== undefined && found.bound === null ? { text: UNBOUND, isError: true } : null;
}

async function actionAnswer(
  actionId: string,
  { tool, args }: ToolCallOfModel,
  { step, kit, calls, deps }: Answering,
): Promise<Answer> {
  const found = kit.found.get(tool);
  const bound = found?.bound ?? null;
  const isSafe = found?.tool.kind === 'server' && found.tool.risk === 'safe';
  const mayRepeat = bound?.saysRepeatable === true && isSafe;
  const asked = { actionId, agentId: step.agentId, tool, args: args ?? {}, bound, mayRepeat };
  const answer = await callTool(asked, calls, deps);
  if (answer.type === 'refused') return { text: answer.text, isError: true, isRefused: true };
  return answer;
}

/** The priority of the reasons to stop. Any other error, such as an abort, has a higher priority. */
const GRAVITY = ['uncertain', 'superseded', 'failed', 'deferred'] as const;

/**
 * Returns the reason with the highest priority. Calls that wait for people are one reason together, so that all
 * questions are known at once.
 */
function gravest(reasons: readonly unknown[]): unknown {
  const stops = reasons.filter((reason) => reason instanceof StepStopped);
  const other = reasons.find((reason) => !(reason instanceof StepStopped));
  if (other !== undefined) return other;
  const waiting = stops.flatMap(({ result }): WaitingCall[] =>
    result.status === 'deferred' ? [...result.waiting] : [],
  );
  const found = GRAVITY.map((status) => stops.find(({ result }) => result.status === status)).find(Boolean);
  return found?.result.status === 'deferred' ? new StepStopped({ status: 'deferred', waiting }) : found;
}
