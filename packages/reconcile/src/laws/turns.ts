/**
 * Checks the law of turns. Prompts open turns, and allowed calls are counted in them, in the order of the ledger. Every
 * call must have seen the calls of its turn, and every ALLOW must have fitted into it.
 */
import type { Check } from '@mandate/schemas';
import { countInTurn, openTurn, type Turn, turnKey } from '@mandate/step';
import { z } from 'zod';
import type { Findings } from './law.ts';
import type { Memory } from './memory.ts';
import { type Decided, namesOf, type Step } from './step.ts';

const sawTurn = z.object({
  turnId: z.string(),
  intent: z.string().nullable(),
  openedAtMs: z.int(),
  timeoutMs: z.int().nullable(),
  calls: z.int().optional(),
  maxCalls: z.int().nullable().optional(),
});
type SawTurn = z.infer<typeof sawTurn>;

export function createTurns(findings: Findings, memory: Memory) {
  /** The turns of each prompt id, by `turnKey`. Nearly in the order in which they are forgotten. */
  const prompts = new Map<string, Map<string, Turn>>();

  function turnsOf(tenant: string, id: string): Map<string, Turn> {
    return prompts.get(`${tenant} ${id}`) ?? new Map();
  }

  /** Returns the turn of a check. Undefined if the log does not say which turn it is. */
  function turnSeen({ tenant }: Decided, { turnId, openedAtMs }: SawTurn): Turn | undefined {
    const seen = [...turnsOf(tenant, turnId).values()].filter((turn) => turn.openedAtMs === openedAtMs);
    return seen.length === 1 ? seen[0] : undefined;
  }

  function open({ tenant, agentId, actionId: id, ...decision }: Decided): void {
    const { opensTurn, atMs, appendedAtMs, leaseExpiresAtMs } = decision;
    if (opensTurn === null) return;
    const forgetAtMs = Math.max(Math.max(atMs, appendedAtMs) + memory.ms, leaseExpiresAtMs);
    const known = turnsOf(tenant, id);
    openTurn(known, { agentId, id, atMs, forgetAtMs }, opensTurn);
    prompts.delete(`${tenant} ${id}`);
    prompts.set(`${tenant} ${id}`, known);
    freeOldest(prompts, atMs);
  }

  function checkTurn(at: string, decision: Decided, check: Check, isWhole: boolean): void {
    if (check.result === 'skip') return;
    const seen = sawTurn.safeParse(check.evidence).data;
    const turn = seen && turnSeen(decision, seen);
    if (seen === undefined || turn === undefined || !isWhole) {
      findings.leftOut();
      return;
    }
    findings.checked();
    const what = faultOf(decision, check, seen, turn);
    if (what !== null)
      findings.broken(() => ({ at, ids: { ...namesOf(decision), limit: 'turn', turn: turn.id }, what }));
  }

  return {
    decided({ at, tenant }: Pick<Step, 'at' | 'tenant'>, decision: Decided, isWhole: boolean): void {
      for (const check of decision.turnChecks) checkTurn(at, decision, check, isWhole);
      open(decision);
      const { turn } = decision;
      const counted =
        turn === null ? undefined : turnsOf(tenant, turn.id).get(turnKey(turn.agentId, turn.id));
      if (turn !== null && counted?.openedAtMs === turn.openedAtMs) countInTurn(counted, turn.counts);
    },
  };
}

function faultOf(decision: Decided, { result }: Check, seen: SawTurn, turn: Turn): string | null {
  const held = decision.type === 'llm_call' ? turn.modelCalls : turn.toolCalls;
  if (seen.calls !== undefined && seen.calls !== held)
    return `it saw ${seen.calls} calls, and by the log the turn had ${held}`;
  if (seen.intent !== turn.intent)
    return `it saw the intent ${seen.intent}, and by the log the turn has ${turn.intent}`;
  if (result !== 'pass') return null;
  const { maxCalls, timeoutMs, openedAtMs } = seen;
  if (seen.calls !== undefined && maxCalls !== null && maxCalls !== undefined && held >= maxCalls)
    return `it passed, and the turn had ${held} calls of at most ${maxCalls}`;
  const isOver = timeoutMs !== null && decision.atMs >= openedAtMs + timeoutMs;
  return isOver && !decision.isGranted ? `it passed, and the turn of ${timeoutMs} ms was over` : null;
}

/** Frees the first prompts if all their turns are forgotten. */
function freeOldest(prompts: Map<string, Map<string, Turn>>, nowMs: number): void {
  for (const [name, turns] of prompts) {
    for (const { forgetAtMs } of turns.values()) if (forgetAtMs > nowMs) return;
    prompts.delete(name);
  }
}
