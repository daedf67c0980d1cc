/**
 * The verdict, as docs/semantics.md section 1 defines it: a list of violations in order. The first violation counts.
 */
import type { Code, Limit, Plan, StepFacts, TurnFact, Verdict } from '@mandate/schemas';

type VerdictCode = { verdict: Verdict; code: Code; final: boolean };
type Found = Pick<StepFacts, 'first' | 'unremembered' | 'late' | 'kill' | 'limits'>;

/** Returns the verdict if the mandate is enforced. */
export function enforcedVerdict(plan: Plan, found: Found): VerdictCode {
  const waits = found.limits.flatMap((fact) =>
    fact.kind !== 'confirmation' && fact.kind !== 'turn' && !fact.ok ? [fact.retryAfterMs] : [],
  );
  const never = waits.includes(null);
  const violations: (VerdictCode | false | null)[] = [
    found.first !== null &&
      found.first.verdict === 'DEFER' &&
      found.first.samePayload && { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', final: false },
    found.first !== null && { verdict: 'BLOCK', code: 'DUPLICATE_ACTION', final: true },
    found.unremembered && { verdict: 'BLOCK', code: 'REPLAY_MEMORY_FULL', final: false },
    found.late && { verdict: 'BLOCK', code: 'DEADLINE_EXCEEDED', final: false },
    found.kill !== null && { verdict: 'BLOCK', code: 'AGENT_KILLED', final: true },
    plan.refusal && { verdict: 'BLOCK', code: plan.refusal.code, final: plan.refusal.final },
    ...found.limits.map((fact, at): VerdictCode | false => {
      if (fact.ok) return false;
      if (fact.kind === 'rate') return { verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED', final: never };
      if (fact.kind === 'budget') return { verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED', final: never };
      if (fact.kind === 'turn') return misfit(fact.fails, plan.limits[at]);
      if (fact.kind !== 'confirmation') {
        const codes = { tokens: 'TOKEN_LIMIT_EXCEEDED', toolCalls: 'TOOL_CALL_LIMIT_EXCEEDED' } as const;
        return { verdict: 'BLOCK', code: codes[fact.kind], final: never };
      }
      if (fact.grant === 'none') return asked(fact.waiting, plan.limits[at]);
      const denied = fact.grant === 'denied';
      return { verdict: 'BLOCK', code: denied ? 'APPROVAL_DENIED' : 'APPROVAL_EXPIRED', final: denied };
    }),
  ];
  const [first] = violations.filter((violation) => violation !== false && violation !== null);
  return first ?? { verdict: 'ALLOW', code: 'ALLOWED', final: false };
}

/** Returns the published verdict, which differs in observe mode. */
export function publishedVerdict(plan: Plan, found: Found): VerdictCode {
  const enforced = enforcedVerdict(plan, found);
  const never: Code[] = [
    'DUPLICATE_ACTION',
    'REPLAY_MEMORY_FULL',
    'DEADLINE_EXCEEDED',
    'AGENT_KILLED',
    'INTERNAL_ERROR',
  ];
  const softened = plan.observe && found.first === null && !never.includes(enforced.code);
  return softened ? { verdict: 'ALLOW', code: 'ALLOWED', final: false } : enforced;
}

/** Returns the refusal of a call that does not fit into its turn. */
function misfit(fails: TurnFact['fails'], limit: Limit | undefined): VerdictCode {
  const block = (code: Code): VerdictCode => ({ verdict: 'BLOCK', code, final: true });
  if (fails === 'person') return block('PRINCIPAL_MISMATCH');
  if (fails === 'timeout' || fails === 'calls') return block('TURN_LIMIT_EXCEEDED');
  if (fails !== 'intent') return block('TURN_UNKNOWN');
  const isTool = limit?.kind === 'turn' && limit.counts === 'tool';
  return block(isTool ? 'TOOL_NOT_FOR_INTENT' : 'STORE_NOT_ALLOWED');
}

/** Returns DEFER if fewer actions wait than allowed, and BLOCK otherwise. */
function asked(waiting: number, limit: Limit | undefined): VerdictCode {
  const most = limit?.kind === 'confirmation' ? limit.maxWaiting : 0;
  if (waiting < most) return { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', final: false };
  return { verdict: 'BLOCK', code: 'WAITING_LIMIT_EXCEEDED', final: false };
}
