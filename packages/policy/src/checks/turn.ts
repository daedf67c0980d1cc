import type { LimitFact, MemoryRead, TurnLimit } from '@mandate/schemas';
import { listed, personOfTurn } from '@mandate/schemas/core';
import type { TurnLimits } from '../governance/governance.ts';
import { type Calls, type LimitCheck, type LimitOf, under, type Words } from './check.ts';
import { type Governed, governedOf } from './governed/governed.ts';
import { intentsThatRead } from './governed/memory-read.ts';

type TurnFact = Extract<LimitFact, { kind: 'turn' }>;

/**
 * Checks that a call belongs to a turn which allows it. A turn is needed wherever a policy limits turns, so that no
 * agent escapes a limit by naming no turn. Elsewhere a turn is checked only if the call names one.
 */
export const turn: LimitCheck<TurnLimit, TurnFact> = {
  name: 'turn',
  limits(calls) {
    const [first] = calls;
    if (first === undefined || !ASKED.has(first.type)) return [];
    return governedOf(calls).flatMap((governed) => limitOf(governed, calls) ?? []);
  },
  evidence: ({ turnId, counts, maxCalls, timeoutMs }, { intent, openedAtMs, calls, fails }) => ({
    turnId,
    intent,
    openedAtMs,
    ...(counts !== null && { calls, maxCalls }),
    timeoutMs,
    ...(fails !== null && { fails }),
  }),
  violation,
};

const ASKED: ReadonlySet<string> = new Set(['tool_call', 'llm_call', 'memory_read']);

function limitOf({ policy, governance }: Governed, calls: readonly Calls[]): LimitOf<TurnLimit> | null {
  const { turn: limits, intents, tools, specialist, read } = governance;
  const [{ type } = { type: null }] = calls;
  const ofIntent = intents !== null || specialist !== null || read !== null;
  if (limits === null && !ofIntent) return null;
  const counts = type === 'tool_call' ? 'tool' : type === 'llm_call' ? 'model' : null;
  return under(policy, ({ action, name, ancestors }) => {
    if (limits === null && action.turnId === undefined) return null;
    return {
      kind: 'turn',
      turnId: action.turnId ?? null,
      agents: [action.agentId, ...ancestors],
      // A call of a model is for no particular person, so the person of the turn is not compared.
      person: type === 'llm_call' ? null : personOfTurn(action.principal),
      counts,
      maxCalls: mostOf(counts, limits),
      timeoutMs: limits?.timeoutMs ?? null,
      asked: type === 'memory_read' ? ((action as MemoryRead).stores ?? []) : [name],
      intents:
        type === 'tool_call'
          ? (specialist?.intents ?? tools.get(name)?.intents ?? null)
          : type === 'memory_read' && read !== null
            ? intentsThatRead(calls, action as MemoryRead)
            : null,
    };
  });
}

function mostOf(counts: TurnLimit['counts'], limits: TurnLimits | null): number | null {
  if (limits === null || counts === null) return null;
  return counts === 'tool' ? limits.maxToolCalls : limits.maxModelCalls;
}

const OTHER_TURN = 'Answer with what is there, and go on in a new turn.';

function violation(limit: TurnLimit, { fails, intent, calls }: TurnFact): Words {
  const { turnId, counts, maxCalls, timeoutMs, intents, asked } = limit;
  switch (fails) {
    case 'person':
      return {
        reason: `The person of the action, or the role of the person, differs from that of the turn "${turnId}".`,
        remedy: 'Act for the person of the turn, or open another turn.',
      };
    case 'timeout':
      return {
        reason: `The turn "${turnId}" may last ${timeoutMs} ms, and this time is over.`,
        remedy: OTHER_TURN,
      };
    case 'calls':
      return {
        reason: `A turn may have ${maxCalls} calls of ${counts === 'tool' ? 'tools' : 'models'}, and the turn "${turnId}" has had ${calls}.`,
        remedy: OTHER_TURN,
      };
    case 'intent':
      return counts === 'tool'
        ? {
            reason: `The intent of the turn is "${intent}", which does not allow the tool ${listed(asked)}. These intents allow the tool: ${listed(intents ?? [])}.`,
            remedy: 'Use a tool of the intent, or send a prompt that has another intent.',
          }
        : {
            reason: `The intent of the turn is "${intent}", which does not allow the action to read ${asked.length === 0 ? 'any store' : listed(asked)}.`,
            remedy: 'Omit "stores" to read every store of the intent, or go on without memory.',
          };
    default:
      return {
        reason:
          turnId === null
            ? 'The action names no turn (turnId), and this policy limits turns.'
            : `No prompt "${turnId}" was allowed to this agent or one of its ancestors.`,
        remedy: 'Send the prompt first. Then send its id as turnId, under a new action id.',
      };
  }
}
