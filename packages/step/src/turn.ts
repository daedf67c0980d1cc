/**
 * A turn is the part of a conversation that an allowed prompt opens. A turn has one intent and one
 * person. A policy may limit how many calls it has, and how long it lasts.
 */
import type { Limit, LimitFact, OpensTurn, Reservation, TurnFact, TurnLimit } from '@mandate/schemas';

export type Turn = {
  readonly agentId: string;
  /** The id of the prompt. */
  readonly id: string;
  openedAtMs: number;
  intent: string | null;
  /** Null if only calls of the turn are known, and not its prompt. This happens while a log is folded. */
  person: string | null;
  toolCalls: number;
  modelCalls: number;
  forgetAtMs: number;
};

export function turnKey(agentId: string, id: string): string {
  return `${agentId} ${id}`;
}

/** Returns the turn of a call, if one of the agents of the limit opened it and it is still known. */
export function turnOf(
  turns: ReadonlyMap<string, Turn>,
  { turnId, agents }: Pick<TurnLimit, 'turnId' | 'agents'>,
  nowMs: number,
): Turn | undefined {
  if (turnId === null) return undefined;
  for (const agentId of agents) {
    const turn = turns.get(turnKey(agentId, turnId));
    if (turn !== undefined && turn.person !== null && nowMs < turn.forgetAtMs) return turn;
  }
  return undefined;
}

/**
 * @param isGranted true if a person has approved the call. Then the time limit of the turn is not checked, because
 *   the call may have waited for that person for longer than the turn lasts.
 */
export function turnFact(
  turn: Turn | undefined,
  limit: TurnLimit,
  nowMs: number,
  isGranted: boolean,
): TurnFact {
  const calls = turn === undefined ? 0 : callsOf(turn, limit.counts);
  const fails = turn === undefined ? 'unknown' : failureOf(turn, limit, { nowMs, isGranted, calls });
  return {
    kind: 'turn',
    ok: fails === null,
    fails,
    agentId: turn?.agentId ?? null,
    intent: turn?.intent ?? null,
    openedAtMs: turn?.openedAtMs ?? null,
    calls,
  };
}

function callsOf({ toolCalls, modelCalls }: Turn, counts: TurnLimit['counts']): number {
  if (counts === null) return 0;
  return counts === 'tool' ? toolCalls : modelCalls;
}

function failureOf(
  { openedAtMs, intent, person }: Turn,
  limit: TurnLimit,
  { nowMs, isGranted, calls }: { nowMs: number; isGranted: boolean; calls: number },
): TurnFact['fails'] {
  const { timeoutMs, intents, maxCalls } = limit;
  if (limit.person !== null && limit.person !== person) return 'person';
  if (timeoutMs !== null && !isGranted && nowMs >= openedAtMs + timeoutMs) return 'timeout';
  if (intents !== null && !intents.includes(intent ?? '')) return 'intent';
  return maxCalls !== null && calls >= maxCalls ? 'calls' : null;
}

/**
 * Opens a turn. If it is open already, its time, intent and counts stay, and it is only remembered longer. If only
 * calls of it are known, the decision about its prompt was lost. Then the turn continues with these calls, from the
 * time at which it was opened first.
 */
export function openTurn(
  turns: Map<string, Turn>,
  of: { agentId: string; id: string; atMs: number; forgetAtMs: number },
  { intent, person }: OpensTurn,
): void {
  const { agentId, id, atMs, forgetAtMs } = of;
  const key = turnKey(agentId, id);
  const known = turns.get(key);
  // A fold may know calls of a later turn of the same prompt already.
  if (known !== undefined && atMs < known.openedAtMs) return;
  const turn =
    known !== undefined && atMs < known.forgetAtMs ? known : createTurn(agentId, id, atMs, forgetAtMs);
  if (turn.person === null) {
    turn.intent = intent;
    turn.person = person;
  }
  turn.forgetAtMs = Math.max(turn.forgetAtMs, forgetAtMs);
  // The turn moves to the end, so that the turns that are forgotten first are at the beginning.
  turns.delete(key);
  turns.set(key, turn);
}

/**
 * Counts a call of a log. The log may have the call before its prompt, or without its prompt. Then the turn is known
 * only by its calls until the prompt comes, and as long as it is remembered at least.
 */
export function countAgain(
  turns: Map<string, Turn>,
  { agentId, id, openedAtMs, counts }: NonNullable<Reservation['turn']>,
  replayMemoryMs: number,
): void {
  const key = turnKey(agentId, id);
  const rememberedUntilMs = openedAtMs + replayMemoryMs;
  let turn = turns.get(key);
  if (turn !== undefined && turn.openedAtMs > openedAtMs) {
    // The known turn is a later one of the same prompt if the turn of the call was forgotten when it opened.
    if (turn.openedAtMs >= rememberedUntilMs) return;
    turn.openedAtMs = openedAtMs;
  }
  if (turn === undefined || turn.openedAtMs < openedAtMs) {
    turn = createTurn(agentId, id, openedAtMs, rememberedUntilMs);
    turns.delete(key);
    turns.set(key, turn);
  }
  countInTurn(turn, counts);
}

function createTurn(agentId: string, id: string, openedAtMs: number, forgetAtMs: number): Turn {
  return { agentId, id, openedAtMs, intent: null, person: null, toolCalls: 0, modelCalls: 0, forgetAtMs };
}

export function countInTurn(turn: Turn, counts: NonNullable<TurnLimit['counts']>): void {
  if (counts === 'tool') turn.toolCalls += 1;
  else turn.modelCalls += 1;
}

/** Returns the turn that counts an allowed call. All limits of a call are about one turn, so it is counted once. */
export function countedTurn(limits: readonly Limit[], facts: readonly LimitFact[]): Reservation['turn'] {
  for (let at = 0; at < limits.length; at += 1) {
    const limit = limits[at];
    const fact = facts[at];
    if (limit?.kind !== 'turn' || fact?.kind !== 'turn') continue;
    const { turnId: id, counts } = limit;
    const { agentId, openedAtMs } = fact;
    if (id !== null && counts !== null && agentId !== null && openedAtMs !== null)
      return { agentId, id, openedAtMs, counts };
  }
  return undefined;
}
