/** Opens turns and counts their calls, after a decision. */
import type { StepFacts, StepRequest } from '@mandate/schemas';
import { countedTurn, countInTurn, openTurn, type Turn, turnKey } from '@mandate/step';
import type { TenantState } from './remembered.ts';

/** The number of forgotten turns that each step frees. A step opens at most one turn, so freeing never falls behind. */
const FREED_EACH_STEP = 2;

/**
 * @param decided.forgetAtMs the time until which the decision is remembered. Its turn is remembered equally long
 * @param decided.counts false if an enforced mandate would not have allowed the call
 */
export function moveTurns(
  { turns }: TenantState,
  { agentId, actionId, plan }: StepRequest,
  facts: StepFacts,
  { forgetAtMs, counts }: { forgetAtMs: number; counts: boolean },
): void {
  freeTurns(turns, facts.atMs);
  if (plan.opensTurn !== undefined)
    openTurn(turns, { agentId, id: actionId, atMs: facts.atMs, forgetAtMs }, plan.opensTurn);
  const counted = counts ? countedTurn(plan.limits, facts.limits) : undefined;
  const turn = counted && turns.get(turnKey(counted.agentId, counted.id));
  if (turn !== undefined && counted !== undefined) countInTurn(turn, counted.counts);
}

/** Frees some of the turns that are forgotten by `beforeMs`. */
export function freeTurns(turns: Map<string, Turn>, beforeMs: number): void {
  let freed = 0;
  for (const [key, { forgetAtMs }] of turns) {
    if (forgetAtMs > beforeMs || freed === FREED_EACH_STEP) return;
    turns.delete(key);
    freed += 1;
  }
}
