/** Puts one function tool under a mandate. */
import { defineToolInputGuardrail, type FunctionTool, type RunContext } from '@openai/agents';
import { askTool, type ToolAsk } from '../adapters/ask-tool.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { findMandateError } from '../errors.ts';
import type { Agent as GovernedAgent } from '../types.ts';

// biome-ignore lint/suspicious/noExplicitAny: a tool of any context, arguments and result
export type AnyTool = FunctionTool<any, any, any>;

export type ToolRules = { agent: GovernedAgent; runId: (context: RunContext) => string };

/** The fields of a governed tool that replace its own fields. */
type Governed = Pick<AnyTool, 'inputGuardrails' | 'needsApproval' | 'invoke'>;

/**
 * Returns the parts of a tool that request a decision. The framework calls `needsApproval`, then the guardrail, then
 * `invoke`. All three request the same call, and the memo gives them the same decision. Only `invoke` starts the call.
 */
export function governed(tool: AnyTool, { agent, runId }: ToolRules): Governed {
  const askFor = (context: RunContext, callId: string | undefined, args: unknown): ToolAsk => ({
    tool: tool.name,
    args,
    callId,
    runId: callId === undefined ? null : runId(context),
  });
  const { invoke, needsApproval, inputGuardrails } = tool;
  const guardrail = defineToolInputGuardrail({
    name: 'mandate',
    async run({ context, toolCall }) {
      const refused = await refusalOf(agent, askFor(context, toolCall.callId, argsOf(toolCall.arguments)));
      return refused === null
        ? { behavior: { type: 'allow' } }
        : { behavior: { type: 'rejectContent', message: refused.message } };
    },
  });
  return {
    inputGuardrails: [...(inputGuardrails ?? []), guardrail],
    async needsApproval(context, input, callId) {
      const refused = await refusalOf(agent, askFor(context, callId, input));
      if (refused?.code === 'APPROVAL_REQUIRED') return true;
      // The guardrail rejects the call, so no person needs to be asked.
      return refused === null && needsApproval.call(tool, context, input, callId);
    },
    async invoke(context, input, details) {
      const given = details?.signal;
      const ask = askFor(context, details?.toolCall?.callId, argsOf(input));
      const answer = await askTool(agent, { ...ask, signal: given });
      // An exception would tell the model to try again.
      if (answer.kind !== 'allowed') return answer.error.message;
      const { args, signal, settle } = answer.running;
      const whole = details ?? {};
      // The framework stores facts about the call under this object, so it is not copied.
      whole.signal = signal;
      try {
        return await runUntilAborted(signal, async () => {
          try {
            const result = await invoke.call(tool, context, JSON.stringify(args), whole);
            await settle({ status: 'success' });
            return result;
          } catch (error) {
            await settle({ status: 'failure' });
            throw error;
          }
        });
      } catch (error) {
        const stopped = signal.aborted ? findMandateError(error) : null;
        if (stopped !== null) return stopped.message;
        throw error;
      }
    },
  };
}

/** Returns why a call may not start now. Null if it may. */
async function refusalOf(agent: GovernedAgent, ask: ToolAsk): Promise<ReturnType<typeof findMandateError>> {
  const { tool, args, runId, callId } = ask;
  if (runId === null || callId === undefined) return null;
  try {
    await agent.ask({ type: 'tool_call', tool, args, options: { runId, callId } });
    return null;
  } catch (thrown) {
    const error = findMandateError(thrown);
    if (error === null) throw thrown;
    return error;
  }
}

/** A tool with one text as its input gets the text itself. */
function argsOf(input: string): unknown {
  try {
    return input === '' ? {} : JSON.parse(input);
  } catch {
    return { input };
  }
}
