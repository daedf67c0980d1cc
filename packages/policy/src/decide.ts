/**
 * The whole precedence, on one screen.
 *
 *   duplicate → replay memory → deadline → kill switch → static checks in order → limits in order → ALLOW
 *
 * `plan` runs every static check and names every limit. The ledger's atomic step checks the limits and charges.
 * `decide` adds the words to the verdict of the step (packages/step). Both functions are pure and never throw: the
 * same arguments always give the same answer.
 */

import type { Action, Check, Limit, Observed, Plan, Shadow, StepFacts } from '@mandate/schemas';
import { CAPS, isModelCall, personOfTurn, subjectOf } from '@mandate/schemas/core';
import { endsStep, enforcedVerdict, publishedVerdict, type StepVerdict, unspentFact } from '@mandate/step';
import { checklists } from './checklist.ts';
import { argumentsValid } from './checks/arguments-valid.ts';
import { budgets } from './checks/budget.ts';
import type { JointCheck, LimitCheck, LimitOf, StaticCheck, Subject, Words } from './checks/check.ts';
import { confirmation } from './checks/confirmation.ts';
import { mandateCostPerCall, toolCostPerCall } from './checks/cost-per-call.ts';
import { estimateStated } from './checks/estimate-stated.ts';
import { argumentDefaults } from './checks/governed/argument-defaults.ts';
import { inputPatterns } from './checks/governed/input-patterns.ts';
import { intent } from './checks/governed/intent.ts';
import { categoryPolicies } from './checks/governed/memory-operation.ts';
import { storesAllowed } from './checks/governed/memory-read.ts';
import { savesDecided } from './checks/governed/memory-write.ts';
import { outputContent } from './checks/governed/output-content.ts';
import { readChoices, readIsolation } from './checks/governed/read-choices.ts';
import { roleKnown } from './checks/governed/role-known.ts';
import { inputLength, outputLength } from './checks/governed/text-length.ts';
import { mandateAlive } from './checks/mandate-alive.ts';
import { modelAllowed } from './checks/model-allowed.ts';
import { modelPriced } from './checks/model-priced.ts';
import { openCalls } from './checks/open-calls.ts';
import { policyFound } from './checks/policy-found.ts';
import { providerAllowed } from './checks/provider-allowed.ts';
import { mandateRate, toolRate } from './checks/rate.ts';
import { roleAllowed } from './checks/role-allowed.ts';
import { runChecks } from './checks/run-checks.ts';
import { tokensStated } from './checks/tokens-stated.ts';
import { toolAllowed } from './checks/tool-allowed.ts';
import { toolDenied } from './checks/tool-denied.ts';
import { toolFacts } from './checks/tool-facts.ts';
import { toolKnown } from './checks/tool-known.ts';
import { turn } from './checks/turn.ts';
import { allUnitLimits } from './checks/unit-limits.ts';
import type { ContentFinders } from './governance/output/content-finders.ts';
import { limitCheck } from './limit-in-words.ts';
import type { Mandate } from './mandate/mandate.ts';
import { knownCall } from './models/known-call.ts';
import { inputMicrosOf, priceOf } from './price.ts';
import { internalError, listsTooCostly, mandateNotFound } from './refused-plan.ts';
import { inShadow } from './shadow.ts';
import type { ValidityInterval } from './validity-interval.ts';
import { ALLOWED_WORDS, wordsOf } from './verdict-in-words.ts';

/**
 * The static checks run in this order. The first check that blocks determines the verdict. The record lists every
 * check.
 */
const STATIC_CHECKS: readonly StaticCheck[] = [
  policyFound,
  mandateAlive,
  roleKnown,
  toolDenied,
  toolKnown,
  toolAllowed,
  roleAllowed,
  argumentsValid,
  toolFacts,
  modelAllowed,
  providerAllowed,
  modelPriced,
  tokensStated,
  estimateStated,
  toolCostPerCall,
  mandateCostPerCall,
  inputLength,
  inputPatterns,
  readChoices,
  readIsolation,
  outputLength,
];

/** The checks about all policies together. They run in this order, if no static check blocks. */
const JOINT_CHECKS: readonly JointCheck[] = [
  argumentDefaults,
  intent,
  storesAllowed,
  savesDecided,
  outputContent,
  categoryPolicies,
];

/** The limits in this order. The ledger checks all limits, and then charges all of them or none. */
const LIMIT_CHECKS: readonly Pick<LimitCheck, 'limits'>[] = [
  turn,
  toolRate,
  budgets,
  ...allUnitLimits,
  mandateRate,
  openCalls,
  confirmation,
];

const checklistOf = checklists(STATIC_CHECKS, LIMIT_CHECKS, JOINT_CHECKS);

/**
 * The published verdict with its reason and remedy. `observed`: if the mandate only observes, the verdict as if it
 * were enforced; otherwise null. `shadow`: the verdict of the rules in shadow; null if no such rule matched.
 */
export type Judgement = Words &
  Pick<StepVerdict, 'verdict' | 'code' | 'final' | 'retryAfterMs'> & {
    observed: Observed | null;
    shadow: Shadow | null;
    checks: readonly Check[];
  };

/**
 * Makes the plan of an action. `atMs` is the ledger's time as last known; the plan states from when until when it is
 * valid. `redacted` is the action as it is published. The checks read the whole action, but texts quote only the
 * redacted action. `spent`: the steps that finding the mandate took from the action's step budget. `finders`: needed
 * for the filters of answers.
 */
export function plan(
  action: Action,
  mandate: Mandate | null,
  atMs: number,
  redacted: Action = action,
  spent = 0,
  finders: ContentFinders | null = null,
  ancestors: readonly string[] = [],
): Plan {
  if (mandate === null) return mandateNotFound(action);
  try {
    const list = checklistOf(mandate, action);
    const { pricings, settlingOf, tokenPricesOf, leaseMs, observe, expiriesMs, steps, events } = list;
    const call = isModelCall(action) ? knownCall(action) : null;
    const price = priceOf(action, call, pricings, atMs);
    const name = subjectOf(action);
    const stepBudget = { left: CAPS.stepsPerAction - spent - steps * (call?.units ?? name.length) };
    if (stepBudget.left < 0) return listsTooCostly(mandate.reference, list.mostExpensive);
    const subject: Subject = { action, redacted, name, call, price, atMs, stepBudget, finders, ancestors };
    const { holdsFromMs, holdsUntilMs } = lifetime(expiriesMs, atMs);
    const { checks, refusal, duties, dutiesOfIntent, violations, opensTurn } = runChecks(
      list.checkFns,
      subject,
      list.jointFns,
    );
    // Lists every field by name, because spreading would take as long as all checks.
    const made: Plan = {
      holdsFromMs,
      holdsUntilMs,
      checks,
      refusal,
      observe,
      reserveMicros: price.reserveMicros,
      charging: price.charging,
      settling: settlingOf(
        price,
        price.inputMicros ?? inputMicrosOf(action, call, pricings, atMs),
        call === null ? undefined : tokenPricesOf(call, atMs),
      ),
      leaseMs,
      limits: limitsOf(list.limits, subject),
      mandate: mandate.reference,
    };
    if (list.unitReservesOf !== null && call !== null) made.units = list.unitReservesOf(action, call, atMs);
    if (duties !== null) made.duties = duties;
    if (dutiesOfIntent !== undefined) made.dutiesOfIntent = dutiesOfIntent;
    if (action.type === 'prompt')
      made.opensTurn = { intent: opensTurn, person: personOfTurn(action.principal) };
    if (violations !== null) made.violations = violations;
    if (events !== null) made.events = events;
    return made;
  } catch (error) {
    return internalError(mandate.reference, error);
  }
}

export function decide(plan: Plan, facts: StepFacts): Judgement {
  const enforced = enforcedVerdict(plan, facts);
  const published = publishedVerdict(plan, facts, enforced);
  const words = wordsOf(enforced, plan, facts);
  const checks = everyCheck(plan, facts);
  const shadow = plan.shadow === undefined || endsStep(facts) ? null : inShadow(plan.shadow, facts);
  if (published === enforced) return judgement(enforced, words, null, shadow, checks);
  const { verdict, code } = enforced;
  const reason = `Observed only. Enforced, it would be ${verdict}: ${words.reason}`;
  return judgement(published, { ...ALLOWED_WORDS, reason }, { verdict, code }, shadow, checks);
}

/** Decides as for an agent that has spent nothing and is not killed. No turn is open, and no person has answered. */
export function decideUnspent(plan: Plan, atMs: number): Judgement {
  return decide(plan, {
    epoch: 'unspent',
    sequence: 0,
    atMs,
    first: null,
    unremembered: false,
    late: false,
    kill: null,
    limits: plan.limits.map((limit) => unspentFact(limit, plan, atMs)),
    chargedMicros: 0,
    cumulativeMicros: 0,
    leaseExpiresAtMs: null,
  });
}

/** Lists every field by name, because spreading takes longer than the rest of `decide`. */
function judgement(
  { verdict, code, final, retryAfterMs }: StepVerdict,
  { reason, remedy }: Words,
  observed: Observed | null,
  shadow: Shadow | null,
  checks: readonly Check[],
): Judgement {
  return { verdict, code, reason, remedy, final, retryAfterMs, observed, shadow, checks };
}

function limitsOf(named: readonly LimitOf[], subject: Subject): Limit[] {
  const limits = new Array<Limit>(named.length);
  let count = 0;
  for (let at = 0; at < named.length; at += 1) {
    const limit = (named[at] as LimitOf)(subject);
    if (limit !== null) limits[count++] = limit;
  }
  if (count < named.length) limits.length = count;
  return limits;
}

/**
 * Returns the time in which the plan is valid. It lies between two expiries, because a policy ends when it expires
 * and another plan follows.
 */
function lifetime(expiriesMs: readonly number[], atMs: number): ValidityInterval {
  let holdsFromMs = 0;
  let holdsUntilMs: number | null = null;
  for (const expiresAtMs of expiriesMs) {
    if (atMs >= expiresAtMs) holdsFromMs = Math.max(holdsFromMs, expiresAtMs);
    else holdsUntilMs = Math.min(holdsUntilMs ?? expiresAtMs, expiresAtMs);
  }
  return { holdsFromMs, holdsUntilMs };
}

const STEP_PASSED: readonly Check[] = ['duplicate', 'deadline', 'kill-switch'].map((check) => ({
  check,
  result: 'pass',
}));

/** Allocates the array with its final length. An array that grows by push reserves much more memory than it needs. */
function everyCheck(plan: Plan, facts: StepFacts): Check[] {
  const ofStep = stepChecks(facts);
  const checks = new Array<Check>(ofStep.length + plan.checks.length + plan.limits.length);
  let count = 0;
  for (let at = 0; at < ofStep.length; at += 1) checks[count++] = ofStep[at] as Check;
  for (let at = 0; at < plan.checks.length; at += 1) checks[count++] = plan.checks[at] as Check;
  for (let at = 0; at < plan.limits.length; at += 1) checks[count++] = limitCheck(plan, facts.limits, at);
  return checks;
}

/**
 * Returns the checks of the ledger's step for the record. The first check that blocks ends the step, and later checks
 * are skipped.
 */
function stepChecks(facts: StepFacts): readonly Check[] {
  return endsStep(facts) ? checksOfEnded(facts) : STEP_PASSED;
}

function checksOfEnded({ first, unremembered, late, kill }: StepFacts): readonly Check[] {
  const asked: [check: string, objected: boolean][] = [
    ['duplicate', first !== null],
    // The check is listed only if it blocks, because it nearly always passes.
    ...(unremembered ? [['replay-memory', true] as [string, boolean]] : []),
    ['deadline', late],
    ['kill-switch', kill !== null],
  ];
  const last = asked.findIndex(([, objected]) => objected);
  return asked.map(([check, objected], at): Check => {
    if (last !== -1 && at > last) return { check, result: 'skip' };
    return { check, result: objected ? 'block' : 'pass' };
  });
}
