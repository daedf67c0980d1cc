import type { Limit, LimitFact } from '@mandate/schemas';
import { nameIn } from './by-counter.ts';
import { type LimitCheck, type Objection, under } from './check.ts';

type ConfirmationLimit = Extract<Limit, { kind: 'confirmation' }>;
type ConfirmationFact = Extract<LimitFact, { kind: 'confirmation' }>;

/** Judged last: a person is only asked about what everything else would let through. */
export const confirmation: LimitCheck<ConfirmationLimit, ConfirmationFact> = {
  name: 'confirmation',
  limits(calls) {
    const [first, ...others] = calls.filter(({ tool }) => tool?.requiresConfirmation);
    if (first === undefined) return [];
    const also = others.map(({ policy }) => nameIn(policy));
    return [under(first.policy, () => ({ kind: 'confirmation' }), also)];
  },
  saw: ({ also }, { grant }) => ({ grant, ...(also && { also }) }),
  objection: (_limit, { grant }) => OBJECTIONS[grant],
};

const required: Objection = {
  code: 'APPROVAL_REQUIRED',
  reason: 'A person must confirm this call.',
  remedy: 'Have it approved, then send the same request, with the same id, again.',
};

const OBJECTIONS: Record<ConfirmationFact['grant'], Objection> = {
  none: required,
  granted: required,
  denied: {
    code: 'APPROVAL_DENIED',
    reason: 'A person was asked to confirm this call, and refused.',
    remedy: 'Do something else: the refusal stands for this action.',
  },
  expired: {
    code: 'APPROVAL_EXPIRED',
    reason: 'A person confirmed this call, but the confirmation ran out before it was used.',
    remedy: 'Have it approved anew, then ask again, as the next attempt of the same action.',
  },
};
