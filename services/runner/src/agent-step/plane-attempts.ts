/** Reads from a plane what was decided about the calls of an earlier runner, and reports their outcomes. */
import { type ApiClient, ApiError } from '@mandate/client';
import { MandateError } from '@mandate/runtime';
import type { Decision } from '@mandate/schemas';
import type { Attempts } from './port.ts';

/** How long the gateway may wait for a decision that is under way. */
const DECISION_MS = 500;
/** How long the gateway may wait for the settlements. */
const SETTLEMENT_MS = 1_000;

/** `withheld`: the agent was allowed, and was killed after that. The call may have run. */
type Standing = { decision: Decision; withheld: boolean };

/** @param client has a key that may publish and report for the agents of the runner */
export function planeAttempts(client: ApiClient): Attempts {
  return {
    async find(agentId, actionId) {
      const path = `/v1/actions/${encodeURIComponent(actionId)}`;
      try {
        const { decision, withheld } = await client.get<Standing>(path, { agentId, waitMs: DECISION_MS });
        return {
          attempt: decision.attempt,
          mayHaveRun: decision.verdict === 'ALLOW' || withheld,
          reservedMicros: decision.reservation?.micros ?? 0,
          refused: withheld ? null : refusalOf(decision),
        };
      } catch (error) {
        if (error instanceof ApiError && error.code === 'DECISION_NOT_FOUND') return null;
        throw failureOf(error);
      }
    },
    async report(outcomes) {
      try {
        await client.post('/v1/outcomes', outcomes, { query: { waitMs: SETTLEMENT_MS } });
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

function refusalOf({ verdict, final, duplicateOf, code, reason, remedy }: Decision) {
  if (verdict !== 'BLOCK' || !final || duplicateOf !== null) return null;
  return { code, text: `${code}: ${reason} ${remedy}` };
}

/** A plane that is away, or has too much to do, can be asked again. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message, remedy } = error;
  const retryable = status === null || status === 429 || status >= 500;
  return new MandateError('PLANE_UNAVAILABLE', message, { remedy, retryable, cause: error });
}
