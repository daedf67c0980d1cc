/** Plans without a mandate to plan under. They reserve nothing, hold for ever, and go through the ledger's step like any other. */
import type { Action, Check, MandateReference, Plan, Refusal } from '@mandate/schemas';

export function mandateNotFound(action: Action): Plan {
  const { agentId, mandateId } = action;
  return refusedPlan(
    null,
    {
      code: 'MANDATE_NOT_FOUND',
      reason:
        mandateId === undefined
          ? `The agent "${agentId}" holds no mandate: no rule matches, and none of the mandates file names it.`
          : `The agent "${agentId}" does not act under the mandate "${mandateId}".`,
      remedy:
        mandateId === undefined
          ? 'Have a rule match the agent, which must be registered; or add it to the `agents` of a mandate of the file.'
          : 'Leave mandateId out; or name the first mandate of the file that names the agent, or, where it is registered, one that was issued to it and has not ended.',
      hard: true,
    },
    [{ check: 'mandate-found', said: 'block', saw: { agentId: action.agentId } }],
  );
}

export function tenantClosed(tenant: string, closedAt: string): Plan {
  return refusedPlan(
    null,
    {
      code: 'TENANT_CLOSED',
      reason: `The tenant "${tenant}" was closed at ${closedAt}.`,
      remedy: 'Have whoever runs the plane open it again; actions need new ids then.',
      hard: true,
    },
    [{ check: 'tenant-open', said: 'block', saw: { tenant, closedAt } }],
  );
}

export function internalError(mandate: MandateReference | null, error: unknown): Plan {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return refusedPlan(
    mandate,
    {
      code: 'INTERNAL_ERROR',
      reason: `Deciding failed (${what}), and what cannot be decided is blocked.`,
      remedy: 'Report this with the decision id; the next attempt of the same action is decided anew.',
      hard: false,
    },
    [],
  );
}

export function refusedPlan(
  mandate: MandateReference | null,
  refusal: Refusal,
  checks: readonly Check[],
): Plan {
  return {
    holdsFromMs: 0,
    holdsUntilMs: null,
    refusal,
    observe: false,
    reserveMicros: 0,
    charging: { type: 'SUCCESS_BASED', estimateMicros: 0 },
    leaseMs: 0,
    limits: [],
    mandate,
    checks,
  };
}
