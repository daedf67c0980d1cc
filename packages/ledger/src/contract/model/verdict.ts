/** The verdict, as the model reads docs/semantics.md section 1: a list of objections in order, the first of which is heard. */
import type { Code, Limit, Plan, StepFacts, Verdict } from '@mandate/schemas';

type Said = { verdict: Verdict; code: Code; hard: boolean };
type Found = Pick<StepFacts, 'first' | 'unremembered' | 'late' | 'kill' | 'limits'>;

/** What is said when the mandate is enforced. */
export function enforcedVerdict(plan: Plan, found: Found): Said {
  const waits = found.limits.flatMap((fact) =>
    fact.kind !== 'confirmation' && !fact.ok ? [fact.retryAfterMs] : [],
  );
  const never = waits.includes(null);
  const objections: (Said | false | null)[] = [
    found.first !== null &&
      found.first.verdict === 'DEFER' &&
      found.first.samePayload && { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', hard: false },
    found.first !== null && { verdict: 'BLOCK', code: 'DUPLICATE_ACTION', hard: true },
    found.unremembered && { verdict: 'BLOCK', code: 'REPLAY_MEMORY_FULL', hard: false },
    found.late && { verdict: 'BLOCK', code: 'DEADLINE_EXCEEDED', hard: false },
    found.kill !== null && { verdict: 'BLOCK', code: 'AGENT_KILLED', hard: true },
    plan.refusal && { verdict: 'BLOCK', code: plan.refusal.code, hard: plan.refusal.hard },
    ...found.limits.map((fact, at): Said | false => {
      if (fact.ok) return false;
      if (fact.kind === 'rate') return { verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED', hard: never };
      if (fact.kind === 'budget') return { verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED', hard: never };
      if (fact.grant === 'none') return asked(fact.waiting, plan.limits[at]);
      const denied = fact.grant === 'denied';
      return { verdict: 'BLOCK', code: denied ? 'APPROVAL_DENIED' : 'APPROVAL_EXPIRED', hard: denied };
    }),
  ];
  const [said] = objections.filter((objection) => objection !== false && objection !== null);
  return said ?? { verdict: 'ALLOW', code: 'ALLOWED', hard: false };
}

/** What is published. */
export function publishedVerdict(plan: Plan, found: Found): Said {
  const enforced = enforcedVerdict(plan, found);
  const never: Code[] = [
    'DUPLICATE_ACTION',
    'REPLAY_MEMORY_FULL',
    'DEADLINE_EXCEEDED',
    'AGENT_KILLED',
    'INTERNAL_ERROR',
  ];
  const softened = plan.observe && found.first === null && !never.includes(enforced.code);
  return softened ? { verdict: 'ALLOW', code: 'ALLOWED', hard: false } : enforced;
}

/** A person is asked, where as few wait as may. */
function asked(waiting: number, limit: Limit | undefined): Said {
  const most = limit?.kind === 'confirmation' ? limit.maxWaiting : 0;
  if (waiting < most) return { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', hard: false };
  return { verdict: 'BLOCK', code: 'WAITING_LIMIT_EXCEEDED', hard: false };
}
