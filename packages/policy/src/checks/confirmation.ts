import type { Limit, LimitFact } from '@mandate/schemas';
import { DEFAULTS } from '@mandate/schemas/core';
import { failedLimit } from '@mandate/step';
import { nameIn } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under, type Words } from './check.ts';

type ConfirmationLimit = Extract<Limit, { kind: 'confirmation' }>;
type ConfirmationFact = Extract<LimitFact, { kind: 'confirmation' }>;

/** The confirmation is the last check, so a person is asked only about calls that all other checks allow. */
export const confirmation: LimitCheck<ConfirmationLimit, ConfirmationFact> = {
  name: 'confirmation',
  limits(calls) {
    const [first, ...others] = calls.filter(asksPerson);
    if (first === undefined) return isLeftOpen(calls) ? [askedByHint(calls)] : [];
    const otherLimits = others.map(({ policy }) => nameIn(policy));
    const maxWaiting = maxWaitingOf(calls);
    const times = { ...leastOf(calls, 'questionMs'), ...leastOf(calls, 'grantMs') };
    return [under(first.policy, () => ({ kind: 'confirmation', maxWaiting, ...times }), otherLimits)];
  },
  evidence: ({ maxWaiting, otherLimits, hinted }, { grant, waiting }) => ({
    grant,
    waiting,
    maxWaiting,
    ...(hinted && { hinted }),
    ...(otherLimits && { otherLimits }),
  }),
  violation: (limit, fact) =>
    failedLimit(limit, fact) === 'tooManyWait' ? tooManyWait(limit, fact) : wordsOf(limit, fact),
};

function asksPerson({ tool }: Calls): boolean {
  return tool?.requiresConfirmation === true;
}

/** True if the calls are calls of a tool, and no policy says whether a person must approve them. */
function isLeftOpen(calls: readonly Calls[]): boolean {
  const [first] = calls;
  return (
    first?.type === 'tool_call' && calls.every(({ tool }) => (tool?.requiresConfirmation ?? null) === null)
  );
}

/**
 * Asks for an approval if the server says that its tool is destructive. A server can lie, so a hint only adds a
 * question. Nothing is allowed because of a hint.
 */
function askedByHint(calls: readonly Calls[]): LimitOf<ConfirmationLimit> {
  const limit = {
    kind: 'confirmation',
    maxWaiting: maxWaitingOf(calls, DEFAULTS.maxWaiting),
    hinted: true,
  } as const;
  return ({ action }) =>
    action.type === 'tool_call' && action.hints?.destructive === true && action.hints.readOnly !== true
      ? limit
      : null;
}

/** Returns the shortest time that a policy states, or an empty object if no policy states a time. */
function leastOf(calls: readonly Calls[], field: 'questionMs' | 'grantMs'): { [field]?: number } {
  const stated = calls.flatMap(({ tool }) => tool?.[field] ?? []);
  return stated.length === 0 ? {} : { [field]: Math.min(...stated) };
}

/**
 * Returns the smallest number that a policy states. If a policy requires a confirmation but states no number, the
 * default counts.
 */
function maxWaitingOf(calls: readonly Calls[], otherwise = Number.POSITIVE_INFINITY): number {
  const stated = calls.flatMap((ofPolicy) => {
    const { maxWaiting } = ofPolicy.policy;
    if (maxWaiting !== null) return [maxWaiting];
    return asksPerson(ofPolicy) ? [DEFAULTS.maxWaiting] : [];
  });
  return Math.min(...stated, ...(stated.length === 0 ? [otherwise] : []));
}

function tooManyWait({ maxWaiting }: ConfirmationLimit, { waiting }: ConfirmationFact): Words {
  return {
    reason: `A person must confirm this call, and ${waiting} deferred actions of this agent wait for a person already; at most ${maxWaiting} may.`,
    remedy:
      'Ask people to answer some of them (`mandate approvals list`). Then try again, as the next attempt of the same action.',
  };
}

const required: Words = {
  reason: 'A person must confirm this call.',
  remedy: 'Ask a person to approve it. Then send the same request again, with the same id.',
};

const HINTED: Words = {
  reason: 'The server of the tool says that the tool is destructive, so a person must confirm this call.',
  remedy:
    'Ask a person to approve it. Then send the same request again, with the same id. Or set requiresConfirmation of this tool in a policy, which counts instead.',
};

function wordsOf({ hinted }: ConfirmationLimit, { grant }: ConfirmationFact): Words {
  return hinted && WORDS[grant] === required ? HINTED : WORDS[grant];
}

const WORDS: Record<ConfirmationFact['grant'], Words> = {
  none: required,
  granted: required,
  denied: {
    reason: 'A person was asked to confirm this call, and denied it.',
    remedy: 'Do something else. The denial is final for this action.',
  },
  expired: {
    reason: 'A person approved this call, but the approval expired before it was used.',
    remedy: 'Ask a person to approve it again. Then ask again, as the next attempt of the same action.',
  },
};
