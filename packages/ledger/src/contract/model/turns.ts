/** The model's turns: computed from the whole history, for each question anew. */
import type { LimitFact, StepRequest, TurnLimit } from '@mandate/schemas';
import { type DecideEvent, eventsOf, type History } from './history.ts';
import { enforcedVerdict } from './verdict.ts';

type ModelTurn = { opening: DecideEvent; calls: DecideEvent[]; forgetAtMs: number };

export function turnFactOf(
  history: History,
  request: StepRequest,
  limit: TurnLimit,
  granted: boolean,
): LimitFact {
  const { turnId, agents, person, counts, maxCalls, timeoutMs, intents } = limit;
  const found = agents.flatMap((agentId) => {
    const turn = turnId === null ? null : turnAt(history, request.tenant, agentId, turnId);
    return turn === null ? [] : [{ agentId, turn }];
  })[0];
  if (found === undefined) return fact('unknown', null, null, null, 0);
  const { opening, calls: inTurn } = found.turn;
  const { intent, person: opener } = opening.request.plan.opensTurn ?? { intent: null, person: '' };
  const calls = inTurn.filter(({ request: { plan } }) => counts !== null && countOf(plan) === counts).length;
  const isOver = timeoutMs !== null && history.nowMs - opening.atMs >= timeoutMs;
  const failures = [
    person !== null && person !== opener && ('person' as const),
    isOver && !granted && ('timeout' as const),
    intents !== null && !intents.some((one) => one === intent) && ('intent' as const),
    maxCalls !== null && calls >= maxCalls && ('calls' as const),
  ].filter((failure) => failure !== false);
  return fact(failures[0] ?? null, found.agentId, intent, opening.atMs, calls);
}

function fact(
  fails: Extract<LimitFact, { kind: 'turn' }>['fails'],
  agentId: string | null,
  intent: string | null,
  openedAtMs: number | null,
  calls: number,
): LimitFact {
  return { kind: 'turn', ok: fails === null, fails, agentId, intent, openedAtMs, calls };
}

/** Returns the turn that an allowed prompt of the agent opened, if it is remembered now. */
function turnAt(history: History, tenant: string, agentId: string, turnId: string): ModelTurn | null {
  let turn: ModelTurn | null = null;
  for (const event of eventsOf(history, 'decide')) {
    const { request, facts, atMs } = event;
    if (request.tenant !== tenant || facts.leaseExpiresAtMs === null) continue;
    if (turn !== null && atMs >= turn.forgetAtMs) turn = null;
    if (request.agentId === agentId && request.actionId === turnId && request.plan.opensTurn !== undefined) {
      const remembered = Math.max(atMs, request.appendedAtMs) + history.replayMemoryMs;
      const forgetAtMs = Math.max(remembered, facts.leaseExpiresAtMs);
      if (turn === null) turn = { opening: event, calls: [], forgetAtMs };
      else turn.forgetAtMs = Math.max(turn.forgetAtMs, forgetAtMs);
    }
    if (turn !== null && countsIn(event, agentId, turnId)) turn.calls.push(event);
  }
  return turn === null || history.nowMs >= turn.forgetAtMs ? null : turn;
}

/** True if an enforced mandate would have allowed the call, and its first countable turn is this one. */
function countsIn({ request: { plan }, facts }: DecideEvent, agentId: string, turnId: string): boolean {
  if (enforcedVerdict(plan, facts).verdict !== 'ALLOW') return false;
  const at = plan.limits.findIndex((limit, index) => {
    const seen = facts.limits[index];
    return limit.kind === 'turn' && limit.counts !== null && seen?.kind === 'turn' && seen.agentId !== null;
  });
  const limit = plan.limits[at];
  const seen = facts.limits[at];
  return (
    limit?.kind === 'turn' && limit.turnId === turnId && seen?.kind === 'turn' && seen.agentId === agentId
  );
}

function countOf({ limits }: StepRequest['plan']): TurnLimit['counts'] {
  const counting = limits.find((limit) => limit.kind === 'turn' && limit.counts !== null);
  return counting?.kind === 'turn' ? counting.counts : null;
}
