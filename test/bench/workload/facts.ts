import { type Mandate, plan } from '@mandate/policy';
import { type Action, isUnit, type Limit, type LimitFact, type StepFacts } from '@mandate/schemas';

/**
 * Returns the facts that a ledger without any spending would give for this action. The plan is made for a tool with a
 * similar name, so that the measured code has not seen the real name before.
 */
export function nothingInTheWay(action: Action, mandate: Mandate, atMs: number): StepFacts {
  const { limits, reserveMicros, leaseMs, refusal } = plan(twinOf(action), mandate, atMs);
  return {
    epoch: 'ep_bench',
    sequence: 1,
    atMs,
    first: null,
    unremembered: false,
    late: false,
    kill: null,
    limits: refusal === null ? limits.map(withinLimit) : [],
    chargedMicros: refusal === null ? reserveMicros : 0,
    cumulativeMicros: 0,
    leaseExpiresAtMs: refusal === null ? atMs + leaseMs : null,
  };
}

function withinLimit({ kind }: Limit): LimitFact {
  if (kind === 'budget') return { kind, spentMicros: 0, ok: true, retryAfterMs: null };
  if (isUnit(kind)) return { kind, used: 0, ok: true, retryAfterMs: null };
  if (kind === 'rate') return { kind, calls: 0, ok: true, retryAfterMs: null };
  if (kind === 'turn')
    return { kind, ok: true, fails: null, agentId: 'agent', intent: null, openedAtMs: 0, calls: 0 };
  return { kind, ok: true, grant: 'granted', waiting: 0 };
}

function twinOf(action: Action): Action {
  return action.type === 'tool_call' ? { ...action, tool: action.tool.replace('cold', 'twin') } : action;
}
