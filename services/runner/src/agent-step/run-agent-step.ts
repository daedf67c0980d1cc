/**
 * Runs the step of an agent: the model is called, and its tools are called, until its answer is the output. All calls
 * are actions of the agent below the action of the step. A resumed step reads its earlier calls from the log, and
 * continues after them.
 */
import type { Json } from '@mandate/schemas';
import type { ModelReply } from '../models/model-clients.ts';
import { answerCalls } from './answer-calls.ts';
import { callModel } from './call-model.ts';
import { messagesOf, type Turn } from './messages.ts';
import type { AgentStepDeps, AgentStepResult } from './port.ts';
import { readOutput } from './read-output.ts';
import type { AgentStep } from './step.ts';
import { StepCalls } from './step-calls.ts';
import { failed, StepStopped, stopOf } from './stopped.ts';
import { openToolKit } from './tool-kit.ts';

const MOST_TURNS = 20;
const MOST_REFUSALS = 5;

/** Rejects with the reason of the signal, or with an error of the journal. Everything else is a result. */
export async function runAgentStep(step: AgentStep, deps: AgentStepDeps): Promise<AgentStepResult> {
  try {
    return { status: 'completed', output: await outputOf(step, deps) };
  } catch (error) {
    deps.signal.throwIfAborted();
    const stop =
      error instanceof StepStopped ? error : stopOf(error, { actionId: step.actionId, tool: null });
    if (stop === null) throw error;
    return stop.result;
  }
}

/** @throws StepStopped */
async function outputOf(step: AgentStep, deps: AgentStepDeps): Promise<Json> {
  deps.signal.throwIfAborted();
  const calls = new StepCalls(step, deps);
  const [kit] = await Promise.all([openToolKit(step, deps.toolServers, deps.signal), calls.reportEarlier()]);
  const turns: Turn[] = [];
  let toolCalls = 0;
  const refusals: string[] = [];
  let isCorrected = false;
  while (turns.length < MOST_TURNS) {
    const reply = await callModel(
      {
        actionId: calls.idAt(`${step.actionId}:m${turns.length + 1}`),
        ...{ step, system: kit.system, tools: kit.offered, nameIn: kit.inMandate },
        messages: messagesOf(step.inputs, turns, step.historySupport),
      },
      calls,
      deps,
    );
    checkStop(reply);
    if (reply.toolCalls.length === 0) {
      const read = readOutput(reply.text, step.outputs);
      if (read.ok) return read.output;
      if (isCorrected)
        throw failed('ANSWER_INVALID', `The answer of the model cannot be used: ${read.fault}.`);
      isCorrected = true;
      turns.push({ reply, results: [], fault: read.fault });
      continue;
    }
    const answered = await answerCalls(reply.toolCalls, { step, kit, calls, deps, earlierCalls: toolCalls });
    toolCalls += answered.made;
    refusals.push(...answered.refusals);
    if (refusals.length >= MOST_REFUSALS) {
      const message = `Mandate refused ${refusals.length} calls of tools. The last: ${refusals.at(-1)}`;
      throw failed('TOO_MANY_REFUSALS', message);
    }
    turns.push({ reply, results: answered.results, fault: null });
  }
  throw failed('TOO_MANY_TURNS', `The model gave no last answer in ${MOST_TURNS} turns.`);
}

/** @throws StepStopped ANSWER_TRUNCATED, MODEL_REFUSED */
function checkStop({ stop, text }: ModelReply): void {
  if (stop === 'length') {
    throw failed(
      'ANSWER_TRUNCATED',
      'The answer of the model reached its limit of tokens. Raise `max_output_tokens`.',
    );
  }
  if (stop === 'refusal') throw failed('MODEL_REFUSED', `The model refused to answer: ${text.slice(0, 500)}`);
}
