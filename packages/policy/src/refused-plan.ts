/**
 * Plans for requests that are refused because they have no mandate. These plans reserve nothing, are valid at any
 * time, and go through the ledger's step like every other plan.
 */

import type { Action, Check, MandateReference, Plan, Refusal } from '@mandate/schemas';
import { CAPS, UNBOUND_SETTLING } from '@mandate/schemas/core';
import type { Words } from './checks/check.ts';

export function mandateNotFound({ agentId, mandateId }: Action): Plan {
  const evidence = { agentId };
  if (mandateId === undefined)
    return noMandate(evidence, {
      reason: `No mandate names the agent "${agentId}", and the agent is not registered.`,
      remedy:
        'In the SDK, state the `mandate` of the agent. On a plane, register the agent, and add a rule that matches its ' +
        'action. With a mandate file, add the agent to `agents` of a mandate.',
    });
  return noMandate(evidence, {
    reason: `The agent "${agentId}" does not act under the mandate "${mandateId}".`,
    remedy:
      'Leave mandateId out. Or name the first mandate of the file that names the agent. A registered agent can also ' +
      'name a grant that was issued to it and has not ended.',
  });
}

/**
 * The plan for a registered agent that no rule matches. The mandates of a file do not apply to a registered agent.
 */
export function noRuleMatches({ agentId }: Action): Plan {
  return noMandate(
    { agentId, registered: true },
    {
      reason: `No rule matches this action of the agent "${agentId}".`,
      remedy:
        'Add a rule that matches the agent, or put the agent into a group of a rule. `mandate preview` and POST /v1/mandates/preview show which rules nearly match. `near` lists the rules that name the agent, each with the condition that does not hold.',
    },
  );
}

/** @param requiredBy the agent that requires a grant: the acting agent itself, or one of its ancestors */
export function grantRequired({ agentId }: Action, requiredBy: string): Plan {
  const whose = requiredBy === agentId ? '' : `, because its ancestor "${requiredBy}" requires one`;
  return refusedPlan(
    null,
    {
      code: 'GRANT_REQUIRED',
      reason: `The action names no grant. The agent "${agentId}" may act only under a grant${whose}.`,
      remedy: 'Ask for a grant (POST /v1/grants/issue), and send its id as mandateId, with a new action id.',
      final: true,
    },
    [{ check: 'mandate-found', result: 'block', evidence: { agentId, requiresGrant: requiredBy } }],
  );
}

export function agentRetired({ agentId }: Action, at: string): Plan {
  return noMandate(
    { agentId, retiredAt: at },
    {
      reason: `The agent "${agentId}" was retired at ${at}.`,
      remedy: 'Register the agent again, and add a rule that matches its action. Nothing else can allow it.',
    },
  );
}

function noMandate(evidence: NonNullable<Check['evidence']>, words: Words): Plan {
  return refusedPlan(null, { code: 'MANDATE_NOT_FOUND', ...words, final: true }, [
    { check: 'mandate-found', result: 'block', evidence },
  ]);
}

export function tenantClosed(tenant: string, closedAt: string): Plan {
  return refusedPlan(
    null,
    {
      code: 'TENANT_CLOSED',
      reason: `The tenant "${tenant}" was closed at ${closedAt}.`,
      remedy: 'Ask the operator of the plane to open the tenant again. After that, use new action ids.',
      final: true,
    },
    [{ check: 'tenant-open', result: 'block', evidence: { tenant, closedAt } }],
  );
}

/**
 * The plan for an action whose rules take more steps than allowed. It refuses the action, because the rules would
 * delay other actions. It names the agent and the rule that used the most steps.
 */
export function tooCostly({ rule, agent }: { rule: string; agent?: string }): Plan {
  const { violation, check } = tooManySteps(
    `for the rule "${rule}"${agent === undefined ? '' : ` of "${agent}"`}`,
    {
      rule,
      ...(agent !== undefined && { agent }),
    },
  );
  return refusedPlan(null, { ...violation, final: true }, [check]);
}

export function listsTooCostly(mandate: MandateReference, policy: string): Plan {
  const { violation, check } = tooManySteps(`for the lists of "${policy}"`, { policy });
  return refusedPlan(mandate, { ...violation, final: true }, [check]);
}

/** @param what the part that used the most steps, as part of a sentence; `evidence` names it for programs */
export function tooManySteps(what: string, evidence: { readonly [name: string]: string }) {
  return {
    check: {
      check: 'within-steps',
      result: 'block' as const,
      evidence: { ...evidence, steps: CAPS.stepsPerAction },
    },
    violation: {
      code: 'RULES_TOO_COSTLY' as const,
      reason: `The rules and policies for this action take more than ${CAPS.stepsPerAction} steps, most of them ${what}. So it is unknown whether one of them denies it.`,
      remedy:
        'Ask again, under a new id, with shorter texts. Or use fewer and simpler patterns, on fewer and shorter fields.',
    },
  };
}

export function internalError(mandate: MandateReference | null, error: unknown): Plan {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return refusedPlan(
    mandate,
    {
      code: 'INTERNAL_ERROR',
      reason: `Deciding failed (${what}), so the action is blocked.`,
      remedy: 'Report this with the decision id. The next attempt of the same action is decided again.',
      final: false,
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
    settling: UNBOUND_SETTLING,
    leaseMs: 0,
    limits: [],
    mandate,
    checks,
  };
}
