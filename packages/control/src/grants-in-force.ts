/**
 * What an agent may do under a grant. A grant fixes the rules and policy versions for one context at the time of its
 * issue. Each action evaluates the fixed rules again, with the fixed policy versions. So a grant never allows more
 * than when it was issued.
 */

import { canonicalJson, type Resolved, type RulesInForce, rulesInForce } from '@mandate/policy';
import type { MandateInForce, Remembered, StepBudgets } from '@mandate/policy/parts';
import { refusedPlan } from '@mandate/policy/parts';
import { type Action, type Check, type Json, type Refusal, wireTime } from '@mandate/schemas';
import { agentOf, policiesOf, ruleOf } from './compile-control.ts';
import type { Grant } from './grants.ts';
import type { TenantControl } from './tenant-control.ts';
import { tenantLimitsOf } from './tenant-limits.ts';

type Context = { readonly [field: string]: Json };

const NONE: MandateInForce = { mandate: null, holdsFromMs: 0, holdsUntilMs: null };
/**
 * How much is cached for one grant. These numbers are small, because a tenant may have thousands of grants, each with
 * many different actions.
 */
const OF_A_MANDATE: Remembered = { agents: 1, answers: 16, mandates: 4 };
const ASK_ANEW = 'Ask for another grant (POST /v1/grants/issue), or leave mandateId out.';

/**
 * `asked`: the action with the context of the grant added. Absent if the grant was refused before its rules were
 * evaluated.
 */
type GrantsInForce = (
  control: TenantControl,
  mandateId: string,
  action: Action,
  atMs: number,
  stepBudgets: StepBudgets,
) => MandateInForce & { asked?: Action; tooCostly?: NonNullable<Resolved['tooCostly']> };

/** The compiled rules of a grant are cached until the grant is forgotten, or a policy or the tenant changes. */
export function grantsInForce(): GrantsInForce {
  const made = new WeakMap<Grant, { of: number; opened: TenantControl['opened']; rules: RulesInForce }>();

  function rulesOf(control: TenantControl, issued: Grant): RulesInForce {
    const known = made.get(issued);
    const { policiesRevision: of, opened } = control;
    if (known?.of === of && known.opened === opened) return known.rules;
    const rules = issued.rules.map(({ rule, version }) => {
      const compiled = ruleOf(rule);
      return { ...compiled, policy: { id: compiled.policy.id, version } };
    });
    const inForce = rulesInForce(rules, policiesOf(control), tenantLimitsOf(opened), {
      id: issued.document.id,
      remembered: OF_A_MANDATE,
    });
    made.set(issued, { of, opened, rules: inForce });
    return inForce;
  }

  return (control, mandateId, action, atMs, stepBudgets) => {
    const issued = control.issued.byId.get(mandateId);
    if (issued === undefined || issued.document.agentId !== action.agentId) return NONE;
    const { agent, document, startsAtMs, endsAtMs, revokedAt } = issued;
    if (revokedAt !== null) return refused(revokedNow(issued, revokedAt), 0);
    if (atMs >= endsAtMs) return refused(ended(issued), endsAtMs);
    if (atMs < startsAtMs) return refused(notBegun(issued), 0, startsAtMs);
    const other = differsIn(document.context, action.context);
    if (other !== undefined) return refused(ofOtherContext(issued, other), startsAtMs, endsAtMs);
    const subject = inContext(document.context, action);
    const lasts = { holdsFromMs: startsAtMs, holdsUntilMs: endsAtMs, asked: subject };
    const { mandate, steps, tooCostly } = rulesOf(control, issued).resolve(
      agentOf(agent),
      subject,
      atMs,
      stepBudgets,
    );
    if (tooCostly !== undefined) return { mandate, tooCostly, ...lasts };
    if (mandate === null) return { ...refused(noRuleMatches(issued), startsAtMs, endsAtMs), asked: subject };
    return { mandate, steps, ...lasts };
  };
}

/** Returns the name of a field that has different values in the two contexts. */
function differsIn(issuedFor: Context, context: Action['context']): string | undefined {
  if (context === undefined) return undefined;
  return Object.keys(issuedFor).find(
    (field) =>
      Object.hasOwn(context, field) && canonicalJson(context[field]) !== canonicalJson(issuedFor[field]),
  );
}

function inContext(issuedFor: Context, action: Action): Action {
  if (Object.keys(issuedFor).length === 0) return action;
  return { ...action, context: { ...action.context, ...issuedFor } };
}

type Refused = readonly [Omit<Refusal, 'final'>, Check];

function refused(
  [refusal, check]: Refused,
  holdsFromMs: number,
  holdsUntilMs: number | null = null,
): MandateInForce {
  const plan = refusedPlan(null, { ...refusal, final: true }, [check]);
  return { mandate: null, holdsFromMs, holdsUntilMs, refused: plan };
}

function revokedNow({ document: { id }, endsAtMs }: Grant, revokedAt: string): Refused {
  return [
    {
      code: 'MANDATE_EXPIRED',
      reason: `The grant "${id}" was revoked at ${revokedAt}.`,
      remedy: ASK_ANEW,
    },
    { check: 'mandate-alive', result: 'block', evidence: { expiresAt: wireTime(endsAtMs), revokedAt } },
  ];
}

function ended({ document: { id }, endsAtMs }: Grant): Refused {
  const expiresAt = wireTime(endsAtMs);
  return [
    { code: 'MANDATE_EXPIRED', reason: `The grant "${id}" expired at ${expiresAt}.`, remedy: ASK_ANEW },
    { check: 'mandate-alive', result: 'block', evidence: { expiresAt } },
  ];
}

/**
 * Returns the refusal of a grant that has not begun yet by the clock of the ledger. This happens if the clock of the
 * issuing process is ahead.
 */
function notBegun({ document: { id, agentId }, startsAtMs }: Grant): Refused {
  const startsAt = wireTime(startsAtMs);
  return [
    {
      code: 'MANDATE_NOT_FOUND',
      reason: `The grant "${id}" begins at ${startsAt}. Until then other rules are in force.`,
      remedy:
        'Ask again after that time, with a new action id, or leave mandateId out. Compare the clocks of the control service and the ledger.',
    },
    { check: 'mandate-found', result: 'block', evidence: { agentId, startsAt } },
  ];
}

/**
 * Returns the refusal of an action whose context differs from the context of the grant. It names the field, because
 * the issuer chose the name. It does not quote the value in the action.
 */
function ofOtherContext({ document: { id, agentId } }: Grant, field: string): Refused {
  return [
    {
      code: 'MANDATE_NOT_FOUND',
      reason: `The grant "${id}" was issued for another context: the action has a different context.${field}.`,
      remedy: 'Ask for a grant for this context (POST /v1/grants/issue), or leave mandateId out.',
    },
    { check: 'mandate-found', result: 'block', evidence: { agentId, context: field } },
  ];
}

/** Returns the refusal if all rules of the grant have conditions on the action, and no rule matches. */
function noRuleMatches({ document: { id, agentId } }: Grant): Refused {
  return [
    {
      code: 'MANDATE_NOT_FOUND',
      reason: `No rule of the grant "${id}" matches the action.`,
      remedy: 'Ask for a grant under other rules, or leave mandateId out.',
    },
    { check: 'mandate-found', result: 'block', evidence: { agentId } },
  ];
}
