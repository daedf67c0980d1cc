/**
 * Checks the law of limits. Charges, settlements and adjustments are added up in the order of the ledger. Every ALLOW
 * must have fitted into its budgets and rates at that time. The evidence of a check must match that state. An outcome
 * may overdraw a budget, and a mandate in observe mode allows what it would refuse.
 */
import {
  BUDGET_SCOPES,
  type BudgetAdjusted,
  budgetSubject,
  type Check,
  DEFAULTS,
  type Settlement,
  UNIT_NAMES,
  type UnitReservation,
  unitOfCheck,
  unitsIn,
} from '@mandate/schemas';
import {
  addToCounter,
  type BudgetCounter,
  type BudgetReference,
  type Chargeable,
  callsIn,
  chargedCounters,
  createBudgetCounter,
  createSlidingRate,
  isOwnBudget,
  moneyToCharge,
  mostCallsBefore,
  mostSpentBefore,
  releaseSlot,
  type SlidingRate,
  spentIn,
  takeSlot,
  totalOf,
  unitToCharge,
} from '@mandate/step';
import { z } from 'zod';
import { createDeferrals } from './deferrals.ts';
import type { Findings } from './law.ts';
import { type Decided, namesOf, type Step } from './step.ts';
import type { StoredDecision } from './stored-decisions.ts';

const sawBudget = z.object({
  scope: z.enum(BUDGET_SCOPES),
  id: z.string(),
  windowMs: z.int().nullable(),
  spentMicros: z.int(),
  costMicros: z.int(),
  maxMicros: z.int().nullable(),
});
const sawUnit = z.object({
  scope: z.enum(BUDGET_SCOPES),
  id: z.string(),
  windowMs: z.int().nullable(),
  used: z.int(),
  reserve: z.int(),
  most: z.int(),
});
const sawRate = z.object({
  scope: z.literal('principal').optional(),
  calls: z.int(),
  maxCalls: z.int(),
  windowMs: z.int(),
});
type SawRate = Pick<z.infer<typeof sawRate>, 'scope' | 'windowMs'>;
const OPEN: SawRate = { windowMs: DEFAULTS.openWindowMs };

/** True if the decision does not say to which person the counter belongs. Only charged rates are listed. */
function isUnnamed({ scope }: SawRate, { person }: Pick<Decided, 'person'>): boolean {
  return scope === 'principal' && person === null;
}

type Limit = { name: string; held: number; evidence: number; fits: boolean };
/** The step that is being checked. */
type Now = Pick<Step, 'at'> & { decision: Decided; isWhole: boolean };

export function createLimits(findings: Findings) {
  const budgets = new Map<string, BudgetCounter>();
  const rates = new Map<string, SlidingRate>();
  const adjusted = new Set<string>();
  const deferrals = createDeferrals();

  function counterOf(tenant: string, budget: BudgetReference): BudgetCounter {
    const { scope, subject, id, windowMs, unit = 'micros' } = budget;
    const name = `${tenant} ${scope} ${subject} ${id} ${windowMs} ${unit}`;
    const known = budgets.get(name);
    if (known !== undefined) return known;
    const counter = createBudgetCounter(windowMs);
    budgets.set(name, counter);
    return counter;
  }

  function rateOf(
    { tenant, agentId, tool, person }: Pick<Decided, 'tenant' | 'agentId' | 'tool' | 'person'>,
    { check, ancestor }: Pick<Check, 'check' | 'ancestor'>,
    { windowMs, scope }: SawRate,
  ): SlidingRate {
    const of = check === 'tool-rate' ? `${check} ${tool ?? ''}` : check;
    // Open calls are counted for the calling agent, even if the policy belongs to an ancestor.
    const ofAgent = check === 'open-calls' ? agentId : (ancestor ?? agentId);
    const whose = scope === 'principal' ? (person ?? '') : ofAgent;
    const name = `${tenant} ${whose} ${of} ${windowMs}`;
    const known = rates.get(name);
    if (known !== undefined) return known;
    const rate = createSlidingRate({ agentId: whose, tool: of, windowMs });
    rates.set(name, rate);
    return rate;
  }

  function chargedBy(tenant: string, chargeable: readonly Chargeable[]) {
    return chargedCounters(chargeable, (budget) => counterOf(tenant, budget));
  }

  function checkLimit(now: Now, check: Check, listed: BudgetReference | undefined): void {
    if (check.evidence === undefined || check.result === 'skip') return;
    const limit = limitOf(now.decision, check, listed);
    if (limit === undefined || !now.isWhole) {
      findings.leftOut();
      return;
    }
    findings.checked();
    const fault = faultOf(now.decision, check, limit);
    if (fault === null) return;
    findings.broken(() => ({
      at: now.at,
      ids: { ...namesOf(now.decision), limit: limit.name },
      what: fault,
    }));
  }

  /**
   * Returns the present state of a limit and the evidence of its check. Undefined if the decision does not name the
   * subject.
   */
  function limitOf(decision: Decided, check: Check, listed: BudgetReference | undefined): Limit | undefined {
    const { evidence } = check;
    const unit = unitOfCheck(check.check);
    if (unit !== undefined) {
      const saw = sawUnit.safeParse(evidence).data;
      const reference = saw && (listed ?? referenceOf(decision, check, saw));
      if (saw === undefined || reference === undefined) return undefined;
      const held = spentIn(counterOf(decision.tenant, { ...reference, unit }), decision.atMs);
      const fits = held <= mostSpentBefore(saw.most, saw.reserve);
      return { name: `${reference.scope} ${check.check} ${reference.id}`, held, evidence: saw.used, fits };
    }
    if (check.check !== 'budget') {
      const rate = sawRate.safeParse(evidence).data;
      if (rate === undefined || isUnnamed(rate, decision)) return undefined;
      const held = callsIn(rateOf(decision, check, rate), decision.atMs);
      return { name: check.check, held, evidence: rate.calls, fits: held <= mostCallsBefore(rate.maxCalls) };
    }
    const budget = sawBudget.safeParse(evidence).data;
    const reference = budget && (listed ?? referenceOf(decision, check, budget));
    if (budget === undefined || reference === undefined) return undefined;
    const held = spentIn(counterOf(decision.tenant, reference), decision.atMs);
    const fits = held <= mostSpentBefore(budget.maxMicros, budget.costMicros);
    return { name: `${reference.scope} budget ${reference.id}`, held, evidence: budget.spentMicros, fits };
  }

  /** Returns each rate once. */
  function ratesOf(decision: Decided): Set<SlidingRate> {
    return new Set(
      decision.checks.flatMap((check) => {
        const rate = sawRate.safeParse(check.evidence).data;
        return rate === undefined || isUnnamed(rate, decision) ? [] : [rateOf(decision, check, rate)];
      }),
    );
  }

  /** Checks the agent's total spending, because every decision and settlement states it. */
  function checkTotal(
    { at, tenant }: Pick<Step, 'at' | 'tenant'>,
    told: Decided | Settlement,
    { nowMs, isWhole }: { nowMs: number; isWhole: boolean },
  ): void {
    if (!isWhole) return;
    const held = spentIn(counterOf(tenant, totalOf(told.agentId)), nowMs);
    if (held === told.cumulativeMicros) return;
    findings.broken(() => ({
      at,
      ids: namesOf(told),
      what: `it says that the agent has spent ${told.cumulativeMicros} in all, and by the log that is ${held}`,
    }));
  }

  function settleUnits(
    { tenant, agentId, units }: Settlement,
    { atMs, units: reserved }: StoredDecision,
    nowMs: number,
  ): void {
    for (const [unit, its] of unitsIn<UnitReservation>(reserved ?? undefined)) {
      const settled = units?.[unit];
      if (settled === undefined) continue;
      for (const { counter, budget } of chargedBy(tenant, unitToCharge(its.limits))) {
        const excess = isOwnBudget(budget, agentId) ? settled.excess : 0;
        addToCounter(counter, atMs, settled.delta + excess, nowMs);
      }
    }
  }

  return {
    decided(step: Pick<Step, 'at' | 'tenant'>, decision: Decided, isWhole: boolean): void {
      const rates = ratesOf(decision);
      const left = deferrals.releaseSlots(decision, rates);
      const units = unitsIn<UnitReservation>(decision.units ?? undefined);
      // The charged counters that no check has named yet, by the name of their check.
      const unnamed: Record<string, BudgetReference[]> = {
        budget: [...(decision.budgets ?? [])],
        ...Object.fromEntries(units.map(([unit, { limits }]) => [UNIT_NAMES[unit].check, [...limits]])),
      };
      for (const check of decision.checks) {
        const listed = unnamed[check.check]?.shift();
        checkLimit({ at: step.at, decision, isWhole }, check, listed);
      }
      const { tenant, agentId, atMs, chargedMicros } = decision;
      if (decision.budgets !== null) {
        for (const { counter } of chargedBy(tenant, moneyToCharge(agentId, decision.budgets))) {
          addToCounter(counter, atMs, chargedMicros, atMs);
        }
      }
      for (const [, { limits, reserved }] of units) {
        for (const { counter } of chargedBy(tenant, unitToCharge(limits))) {
          addToCounter(counter, atMs, reserved, atMs);
        }
      }
      if (decision.takesSlots) for (const rate of rates) takeSlot(rate, atMs, atMs);
      deferrals.decided(decision, rates, left);
      checkTotal(step, decision, { nowMs: atMs, isWhole });
    },
    settled(
      step: Pick<Step, 'at' | 'tenant'>,
      settlement: Settlement,
      { known, isWhole }: { known: StoredDecision | undefined; isWhole: boolean },
    ): void {
      const { tenant, agentId, deltaMicros, excessMicros } = settlement;
      const nowMs = Date.parse(settlement.settledAt);
      if (settlement.kind === 'settled' && known !== undefined && known.budgets !== null) {
        for (const { counter, budget } of chargedBy(tenant, moneyToCharge(agentId, known.budgets))) {
          const ownMicros = isOwnBudget(budget, agentId) ? excessMicros : 0;
          addToCounter(counter, known.atMs, deltaMicros + ownMicros, nowMs);
        }
        settleUnits(settlement, known, nowMs);
        const asked = { tenant, agentId, tool: null, person: null };
        if (known.settling.open) releaseSlot(rateOf(asked, { check: 'open-calls' }, OPEN), known.atMs, nowMs);
      }
      checkTotal(step, settlement, { nowMs, isWhole });
    },
    adjusted({ id, tenant, budget, deltaMicros = 0, delta = 0, at }: BudgetAdjusted['adjustment']): void {
      if (adjusted.has(`${tenant} ${id}`)) return;
      adjusted.add(`${tenant} ${id}`);
      const atMs = Date.parse(at);
      addToCounter(counterOf(tenant, budget), atMs, deltaMicros + delta, atMs);
    },
  };
}

function faultOf(decision: Decided, { result }: Check, { held, evidence, fits }: Limit): string | null {
  if (held !== evidence) return `it saw ${evidence}, and by the log the limit held ${held}`;
  if (!fits && decision.verdict === 'ALLOW' && !decision.isObserved) {
    const units = unitsIn<UnitReservation>(decision.units ?? undefined);
    const others = units.map(([unit, { reserved }]) => ` and ${reserved} ${UNIT_NAMES[unit].noun}`).join('');
    return `an ALLOW of ${decision.chargedMicros} micro-dollars${others} that does not fit: the limit held ${held}`;
  }
  return fits === (result === 'pass')
    ? null
    : `it says ${result}, and the call ${fits ? 'fits' : 'does not fit'}`;
}

/**
 * Returns the budget if the decision itself names it. A refused decision lists no budgets, and principals may be
 * sealed.
 */
function referenceOf(
  { agentId, mandateId }: Decided,
  check: Check,
  { scope, id, windowMs }: Pick<z.output<typeof sawBudget>, 'scope' | 'id' | 'windowMs'>,
): BudgetReference | undefined {
  if (scope === 'principal' || (scope === 'mandate' && mandateId === null)) return undefined;
  const of = { agentId, principalId: '', mandateId: mandateId ?? '' };
  return { scope, subject: budgetSubject(scope, check, of), id, windowMs };
}
