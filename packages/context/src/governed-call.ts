/** Makes the model call of the builder an action of its agent, and reports the result of the action. */
import { type Agent, type AgentOptions, findMandateError } from '@mandate/sdk';
import type { ModelAnswer, ModelCall } from './model.ts';

/** An instance of `Mandate`, or a view of one. */
export type AgentSource = { agent(options?: AgentOptions): Agent };

/**
 * Returns a source of agents for this one call. The action states its parent and person. It never waits for an
 * approval, whatever the instance says.
 */
export function forCall(mandate: AgentSource, call: ModelCall): AgentSource {
  const { parentActionId, principal, onAction } = call;
  const stated = {
    onDefer: 'throw' as const,
    ...(parentActionId !== undefined && { parentActionId }),
    ...(principal !== undefined && { principal }),
  };
  return {
    agent(options) {
      const agent = mandate.agent(options);
      const start: Agent['start'] = async (asked) => {
        try {
          const running = await agent.start({ ...asked, options: { ...asked.options, ...stated } });
          onAction(running.decision.actionId);
          return running;
        } catch (error) {
          const decided = findMandateError(error)?.decision;
          if (decided) onAction(decided.actionId);
          throw error;
        }
      };
      return { ...agent, start };
    },
  };
}

/**
 * Returns the meaning of an error of the call. Each error that Mandate did not throw comes from the provider or its
 * client.
 */
export function answerOfError(error: unknown, signal: AbortSignal): ModelAnswer {
  const refused = findMandateError(error);
  if (refused !== null) {
    return refused.decision === null ? { outcome: 'undecided' } : { outcome: 'blocked', code: refused.code };
  }
  if (signal.aborted) return { outcome: 'cancelled' };
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : null;
  return { outcome: 'failed', status: typeof status === 'number' ? status : null };
}
