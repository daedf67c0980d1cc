/** Reads from a plane the decisions about the calls of an earlier runner, and reports the outcomes of these calls. */
import { type ApiClient, ApiError } from '@mandate/client';
import type { Decision } from '@mandate/schemas';
import { planeFailure } from '../plane/plane-failure.ts';
import type { Attempts } from './port.ts';

/** How long the gateway may wait for a decision that is not made yet. */
const DECISION_MS = 500;
/** How long the gateway may wait for the settlements. */
const SETTLEMENT_MS = 1_000;

/** `withheld`: the call was allowed, but the agent was killed after that. The call may have run. */
type Standing = { decision: Decision; withheld: boolean };

/** @param client has a key that may publish and report for the agents of the runner */
export function planeAttempts(client: ApiClient): Attempts {
  return {
    async find(agentId, actionId) {
      const path = `/v1/actions/${encodeURIComponent(actionId)}`;
      try {
        const { decision, withheld } = await client.get<Standing>(path, { agentId, waitMs: DECISION_MS });
        // The gateway no longer has the first decision, but only that of a repeated request.
        if (decision.code === 'DUPLICATE_ACTION') return null;
        return {
          attempt: decision.attempt,
          mayHaveRun: decision.verdict === 'ALLOW' || withheld,
          reservedMicros: decision.reservation?.micros ?? 0,
          refused: withheld ? null : refusalOf(decision),
        };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'DECISION_NOT_FOUND') return null;
        throw planeFailure(error);
      }
    },
    async report(outcomes) {
      try {
        await client.post('/v1/outcomes', outcomes, { query: { waitMs: SETTLEMENT_MS } });
      } catch (error) {
        throw planeFailure(error);
      }
    },
  };
}

function refusalOf({ verdict, final, code, reason, remedy }: Decision) {
  if (verdict !== 'BLOCK' || !final) return null;
  return { code, text: `${code}: ${reason} ${remedy}` };
}
