/** One call of the model in a step. */
import type { ModelClients, ModelReply, ModelRequest } from '../models/model-clients.ts';
import type { TokenWindows } from '../models/token-windows.ts';
import type { BegunCall } from './call-event.ts';
import { HeldCall } from './held-call.ts';
import type { AgentStepDeps } from './port.ts';
import type { AgentStep, StepModel } from './step.ts';
import type { StepCalls } from './step-calls.ts';
import { failed, stopOf, stopOfRefusal } from './stopped.ts';
import { sleep } from './until-aborted.ts';

type Asked = Pick<ModelRequest, 'system' | 'messages' | 'tools'> & {
  actionId: string;
  step: Pick<AgentStep, 'agentId' | 'model'>;
  /** Replaces the names of tools in the reply by Mandate's names. */
  nameIn: (reply: ModelReply) => ModelReply;
};

type Deps = Pick<AgentStepDeps, 'mandateFor' | 'models' | 'tokenWindows' | 'signal' | 'stream'>;

/** The call of a model can always be made again. */
const REPEATING = { tool: null, mayRepeat: true };

/** @throws StepStopped, or the reason of the signal */
export async function callModel(asked: Asked, calls: StepCalls, deps: Deps): Promise<ModelReply> {
  const { actionId, step, nameIn } = asked;
  const known = calls.known(actionId);
  if (known?.state === 'completed' && known.answer?.type === 'model') return known.answer;
  if (known?.answer?.type === 'refused') throw stopOfRefusal(known.answer);
  const call = known?.call.type === 'model' ? known.call : plannedCall(asked, deps.models);
  const attempt = await calls.prepare(actionId, REPEATING);
  if (typeof attempt !== 'number') {
    await calls.refuse(actionId, attempt);
    throw stopOfRefusal(attempt);
  }
  const { provider, model, inputTokens, maxOutputTokens } = call;
  const counted = await countTokens(step, inputTokens + maxOutputTokens, deps);
  await calls.begin(actionId, call);
  const held = new HeldCall(deps.mandateFor(step.agentId).agent(), {
    actionId,
    estimate: step.model.estimate,
    ask: (start) => calls.ask(actionId, REPEATING, start),
    mostSeconds: Math.ceil(deps.models.timeoutMsOf(provider) / 1000),
  });
  const request = { provider, model, inputTokens, maxOutputTokens, agent: held.agent, signal: deps.signal };
  try {
    const { system, messages, tools } = asked;
    const replied = await deps.models.call({ ...request, system, messages, tools, onText: deps.stream });
    const reply = nameIn(replied);
    const outcome = await held.outcome();
    if (outcome?.usage !== undefined) counted?.used(outcome.usage.inputTokens + outcome.usage.outputTokens);
    await calls.complete(actionId, { attempt: held.attempt, answer: { type: 'model', ...reply }, outcome });
    await held.settle(outcome);
    return reply;
  } catch (error) {
    const lost = held.wasAllowed ? await held.lost() : null;
    if (deps.signal.aborted) {
      // The log needs no event, because the call is made again when the step is resumed.
      await held.settle(lost);
      throw deps.signal.reason;
    }
    const stop = stopOf(error, { actionId, tool: null });
    if (stop === null) throw error;
    if (held.wasAllowed && stop.result.status === 'failed') {
      const { code, message } = stop.result;
      const answer = { type: 'failed', code, message } as const;
      await calls.complete(actionId, { attempt: held.attempt, answer, outcome: lost });
      await held.settle(lost);
    }
    if (!held.wasAllowed) {
      counted?.used(0);
      if (stop.result.status === 'failed' && stop.result.kind === 'hard block') {
        const { code, message: text } = stop.result;
        await calls.refuse(actionId, { type: 'refused', code, text });
      }
    }
    throw stop;
  }
}

const MOST_OUTPUT_TOKENS = 4_096;
/** English text has about four bytes a token. With three bytes, the estimate is more often too high than too low. */
const BYTES_PER_TOKEN = 3;

/** @throws StepStopped */
function plannedCall(
  { step: { model }, system, messages, tools }: Asked,
  models: ModelClients,
): Extract<BegunCall, { type: 'model' }> {
  const provider = models.providerOf(model.name, model.provider);
  if (provider === null) {
    const message = `No provider of the model "${model.name}" is configured. State \`resources.provider\`, or give the runner its provider.`;
    throw failed('MODEL_PROVIDER_UNKNOWN', message);
  }
  const bytes = Buffer.byteLength(JSON.stringify({ system, messages, tools }));
  const inputTokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  const maxOutputTokens = outputLimit(model, inputTokens);
  return { type: 'model', provider, model: model.name, inputTokens, maxOutputTokens };
}

/** @throws StepStopped CONTEXT_WINDOW_EXCEEDED */
function outputLimit({ throttle }: StepModel, inputTokens: number): number {
  const { contextWindow, maxOutputTokens = MOST_OUTPUT_TOKENS } = throttle;
  const left = contextWindow === undefined ? maxOutputTokens : contextWindow - inputTokens;
  if (left >= 1) return Math.min(maxOutputTokens, left);
  const message = `The messages have about ${inputTokens} tokens, and the context window of the model has ${contextWindow}.`;
  throw failed('CONTEXT_WINDOW_EXCEEDED', message);
}

/** Waits until the tokens fit into the token limit of the agent for a minute. Null: the agent has no such limit. */
async function countTokens(
  { agentId, model }: Asked['step'],
  tokens: number,
  { tokenWindows, signal }: { tokenWindows: TokenWindows; signal: AbortSignal },
) {
  const most = model.throttle.tokensPerMinute;
  if (most === undefined) return null;
  if (tokens > most) {
    const message = `The call may use ${tokens} tokens, and the agent may use ${most} in a minute.`;
    throw failed('TOKENS_PER_MINUTE_EXCEEDED', message);
  }
  for (;;) {
    const taken = tokenWindows.take(agentId, tokens, most);
    if (!('waitMs' in taken)) return taken;
    await sleep(taken.waitMs, signal);
  }
}
