/** An agent with governed calls, in a few lines: it asks, acts only on ALLOW, and reports the outcome. */

import type { ApiClient } from '@mandate/client';
import type { Decision, Settlement } from '@mandate/schemas';
import type { ToolServers } from './tool-servers.ts';

/** The gateway's answer. `withheld`: the decision was ALLOW, but a kill came before the answer. */
type Answer = { decision: Decision | null; withheld?: boolean };

type Acted = {
  decision: Decision;
  /** Null if the call did not run. */
  settlement: Settlement | null;
  ran: boolean;
  withheld: boolean;
  result: string;
};

export type GovernedAgent = {
  readonly id: string;
  /**
   * Asks whether a tool may be called, and calls it if the answer is ALLOW. A given `actionId` repeats an earlier
   * action.
   */
  act(tool: string, args: Record<string, unknown>, options?: { actionId?: string }): Promise<Acted>;
};

export function createAgent(options: {
  id: string;
  api: ApiClient;
  tools: ToolServers;
  onDecision(decision: Decision): void;
}): GovernedAgent {
  const { id, api, tools, onDecision } = options;
  let made = 0;
  return {
    id,
    async act(tool, args, { actionId = `${id}-${++made}` } = {}) {
      const action = { id: actionId, agentId: id, type: 'tool_call', tool, args };
      const { decision, withheld = false } = await api.post<Answer>('/v1/actions', action, {
        query: { waitMs: 20_000 },
      });
      if (decision === null) throw new Error(`no decision on ${actionId} within 20 s`);
      onDecision(decision);
      if (decision.verdict !== 'ALLOW') {
        return { decision, settlement: null, ran: false, withheld, result: decision.code };
      }
      const { ok, text } = await tools.call(tool, args).then(
        (text) => ({ ok: true, text }),
        (error: unknown) => ({ ok: false, text: String(error) }),
      );
      const outcome = { actionId, agentId: id, status: ok ? 'success' : 'failure' };
      const { settlement } = await api.post<{ settlement: Settlement | null }>('/v1/outcomes', outcome, {
        query: { waitMs: 20_000 },
      });
      return { decision, settlement, ran: true, withheld, result: text };
    },
  };
}
