/**
 * Encodes the operations of one call of step.lua as arrays. Values that depend on one request only are prepared here,
 * in the format that the script stores or passes to a command. Shared values are sent once, and referred to by index.
 */

import type { SettleRequest, StepRequest, TokenUsage } from '@mandate/schemas';
import { type ByUnit, deepEqual, unitsIn } from '@mandate/schemas/core';
import { openCallsOf, releasedOf } from '@mandate/step';
import type { Operation } from '../../port.ts';
import { counterName, ownCounters, positionOf, rateName } from '../keys.ts';
import { found, type KeptPlans } from './answers.ts';
import { createTerms } from './counter-table.ts';
import type { CallContext } from './fast-path.ts';
import { integer, requestWords, unitWord } from './field-encoding.ts';
import { LIMIT_KIND, NONE } from './layout.ts';

/**
 * @returns `operations`: the text that step.lua parses. `plans`: the text that it only stores (contextIn). `context`:
 * the same plans as objects
 */
export function encodeCall(
  operations: readonly Operation[],
  keptUnremembered: number,
): {
  operations: string;
  plans: string;
  context: CallContext;
} {
  const terms = createTerms();
  const plans = createPlans(terms);
  const positions: string[] = [];
  const actions: string[] = [];
  const texts: string[] = [];
  const keys: string[] = [];
  const numbers: number[] = [];
  const units: (UnitWords[] | false)[] = [];
  let appendedAtMs = 0;
  for (const operation of operations) {
    const { source, agentId, actionId, attempt } = operation;
    positions.push(positionOf(source));
    actions.push(`${agentId} ${actionId}`);
    const agent = terms.agent(agentId);
    if (operation.op === 'decide') {
      const { idempotencyKey, deadlineAtMs, plan } = operation;
      appendedAtMs = Math.max(appendedAtMs, operation.appendedAtMs);
      const its = plans.add(operation);
      terms.count(its, plan.reserveMicros);
      texts.push(requestWords(operation));
      keys.push(idempotencyKey === null ? '' : `${agentId} ${idempotencyKey}`);
      numbers.push(its, agent, integer(attempt), deadlineAtMs ?? NONE, integer(plan.reserveMicros));
      units.push(plan.units === undefined ? false : unitWords(operation, terms.unitCharges(its)));
    } else {
      const { actualMicros } = operation;
      plans.none();
      units.push(false);
      texts.push(outcomeWords(operation, terms.released(agentId)));
      keys.push('');
      numbers.push(0, agent, integer(attempt), terms.total(agentId));
      numbers.push(actualMicros === null ? NONE : integer(actualMicros));
    }
  }
  const maxRemembered = operations[0]?.maxRemembered ?? 0;
  const room = { maxRemembered, keptUnremembered };
  const call = {
    ...{ positions, actions, texts, keys, numbers, appendedAtMs },
    // Most calls have no request with a limit in a unit other than money. So they send nothing about units.
    ...(units.some((its) => its !== false) && { units }),
    ...room,
    ...terms.all(),
  };
  const counterRefs = terms.counterRefs();
  const named = terms.named();
  return {
    operations: JSON.stringify(call),
    plans: plans.text(counterRefs, named),
    context: {
      named,
      planOf(at) {
        const operation = operations[at - 1];
        if (operation?.op !== 'decide') throw new TypeError('an outcome was decided');
        return operation.plan;
      },
      counterRefsOf: (at) => found(counterRefs[plans.termsAt(at) - 1]),
    },
  };
}

/** @param released the index of the agent's counter of releases among the lifetime counters */
function outcomeWords(
  { status, verified, mayRelease, agentId, usage, toolCalls }: SettleRequest,
  released: number,
): string {
  const ran = verified === null ? 'not_run' : verified ? 'yes' : 'no';
  return `${status} ${ran} ${mayRelease ? 'release' : 'own'} ${released} ${ownCounters(agentId)} ${rateName(openCallsOf(agentId))} ${usage === undefined ? '' : usageWord(usage)} ${toolCalls === undefined ? '' : integer(toolCalls)}`;
}

function usageWord({
  inputTokens,
  cachedInputTokens = 0,
  cacheWriteTokens = 0,
  outputTokens,
}: TokenUsage): string {
  return [inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens].map(integer).join(',');
}

/** What to reserve in a unit. `kind`: the kind of its limits. `word`: the lease without the amount. */
type UnitWords = [kind: number, reserve: number, word: string];

function unitWords({ agentId, plan }: StepRequest, charges: ByUnit<string>): UnitWords[] {
  return unitsIn(plan.units).map(([unit, { reserve, settling }]) => {
    const names = { releases: counterName(releasedOf(agentId, unit)), charges: charges[unit] ?? '[]' };
    return [LIMIT_KIND[unit], integer(reserve), unitWord(unit, settling, names)];
  });
}

type Kept = { plan: StepRequest['plan']; terms: number; index: number };

/**
 * Collects the plans of a call, and sends equal plans once. It compares a plan with the agent's last plan, and with
 * the last plan under the same terms. Nearly all plans are equal. Plans are compared before they are encoded, because
 * encoding all plans was most of the work of a call.
 */
function createPlans(terms: ReturnType<typeof createTerms>) {
  const plans: StepRequest['plan'][] = [];
  const planIndices: number[] = [];
  const termsOf: number[] = [];
  const ofAgent = new Map<string, Kept>();
  const ofTerms: Kept[] = [];

  function kept(request: StepRequest): Kept {
    const { agentId, plan } = request;
    const latest = ofAgent.get(agentId);
    if (latest !== undefined && deepEqual(latest.plan, plan)) return latest;
    const its = terms.of(request);
    const known = ofTerms[its];
    const keeps =
      known !== undefined && deepEqual(known.plan, plan) ? known : { plan, terms: its, index: plans.length };
    if (keeps.index === plans.length) plans.push(plan);
    ofTerms[its] = keeps;
    ofAgent.set(agentId, keeps);
    return keeps;
  }

  return {
    /** @returns the index of the terms of the request */
    add(request: StepRequest): number {
      const its = kept(request);
      planIndices.push(its.index);
      termsOf.push(its.terms);
      return its.terms;
    },
    none(): void {
      planIndices.push(NONE);
      termsOf.push(NONE);
    },
    termsAt: (operation: number): number => termsOf[operation - 1] ?? 0,
    text: (counterRefs: KeptPlans['counterRefs'], named: KeptPlans['named']): string =>
      JSON.stringify({ planIndices, plans, terms: termsOf, counterRefs, named } satisfies KeptPlans),
  };
}
