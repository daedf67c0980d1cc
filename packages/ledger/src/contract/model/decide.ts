/** The model's step for one request. */
import { mapUnits, type StepRequest } from '@mandate/schemas';
import type { StepResult } from '../../port.ts';
import { firstOf } from './duplicates.ts';
import { killOf } from './flags.ts';
import { type DecideEvent, type History, hasRoom, nextSequence } from './history.ts';
import { limitFacts } from './limits.ts';
import { chargedBudgets, chargedUnitCounters, cutToFit, lifetimeSpend } from './spending.ts';
import { publishedVerdict } from './verdict.ts';

/** Adds the decision to the history, unless the plan is no longer valid. */
export function decide(history: History, epoch: string, request: StepRequest): StepResult {
  const { plan, tenant, agentId } = request;
  const atMs = history.nowMs;
  const first = firstOf(history, request);
  const unremembered = !hasRoom(history, tenant, request.maxRemembered);
  const isOver = first !== null || unremembered;
  const late = !isOver && request.deadlineAtMs !== null && request.deadlineAtMs < atMs;
  const kill = isOver || late ? null : killOf(history, tenant, agentId, plan);
  const usesPlan = !isOver && !late && kill === null;
  const holds = plan.holdsFromMs <= atMs && (plan.holdsUntilMs === null || atMs < plan.holdsUntilMs);
  if (usesPlan && !holds) return { kind: 'replan', atMs };

  const ends = plan.refusal !== null && (!plan.observe || plan.refusal.code === 'INTERNAL_ERROR');
  const found = {
    first,
    unremembered,
    late,
    kill,
    limits: usesPlan && !ends ? limitFacts(history, request) : [],
  };
  const allowed = publishedVerdict(plan, found).verdict === 'ALLOW';
  const facts = {
    epoch,
    sequence: nextSequence(history, tenant),
    atMs,
    ...found,
    chargedMicros: allowed ? cutToFit(history, tenant, chargedBudgets(request), atMs, plan.reserveMicros) : 0,
    cumulativeMicros: 0,
    leaseExpiresAtMs: allowed ? atMs + plan.leaseMs : null,
    ...(allowed &&
      plan.units !== undefined && {
        chargedUnits: mapUnits(plan.units, ({ reserve }, unit) =>
          cutToFit(history, tenant, chargedUnitCounters(request, unit), atMs, reserve),
        ),
      }),
  };
  const event: DecideEvent = { type: 'decide', atMs, request, facts, onLog: false };
  history.events.push(event);
  facts.cumulativeMicros = lifetimeSpend(history, tenant, agentId);
  return { kind: 'decided', plan, facts, redelivered: false };
}
