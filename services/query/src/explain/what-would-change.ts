/**
 * Says what would have to change for another verdict, computed from the evidence of the checks. The function is pure,
 * and each number is exact: with one micro-dollar less, or one millisecond earlier, the same check blocks again
 * (test/laws/explain-change.test.ts).
 *
 * All `needs` must be met. Each need lists several ways to meet it, and one way is enough. `unasked` lists checks
 * that were skipped and may block the next time.
 */
import { NEAR_MISS_AT } from '@mandate/audit';
import {
  BUDGET_SCOPES,
  CAPS,
  type Check,
  type Decision,
  described,
  durationInWords,
  formatMicros,
  mayNotWait,
  wireTime,
} from '@mandate/schemas';
import { z } from 'zod';
import { checkInWords, waitedMs } from './check-in-words.ts';
import { blockingPoliciesInWords } from './other-policies-in-words.ts';
import { type Evidence, ofAncestor, parseEvidence } from './parse-evidence.ts';
import { GOVERNED_WAYS, waysPastGoverned } from './ways-past-governed.ts';

const WAYS = [
  'another-id',
  'next-attempt',
  'longer-deadline',
  'room-to-remember',
  'revive',
  'open-tenant',
  'mandate-for-agent',
  'later-expiry',
  'not-denied',
  'allowed',
  'declared',
  'other-arguments',
  'less-to-judge',
  'stated-price',
  'stated-tokens',
  'stated-provider',
  'higher-limit',
  'cheaper-call',
  'not-before',
  'more-calls',
  'more-open',
  'approval',
  ...GOVERNED_WAYS,
] as const;

const way = z.object({
  way: described(z.enum(WAYS), 'The kind of change.'),
  words: described(z.string(), 'The change, as a sentence.', 'raise maxCostTotal to $10.10 or more'),
  field: described(
    z.string().optional(),
    'The field of the mandate to change. Absent if the change is not in the mandate.',
    'maxCostTotal',
  ),
  name: described(
    z.string().optional(),
    'The tool, model or provider that the change is about. Absent if there is none.',
    'send_certificate',
  ),
  budget: described(
    z
      .object({
        scope: described(z.enum(BUDGET_SCOPES), 'Who shares the budget.'),
        id: described(z.string(), 'The id of the budget.', 'total'),
        windowMs: described(
          z.int().nullable(),
          'The length of the window, in milliseconds. null: the budget never resets.',
          86_400_000,
        ),
      })
      .optional(),
    'The budget that the change is about. Absent if there is none.',
  ),
  atLeastMicros: described(
    z.int().optional(),
    'The least amount that suffices, in micro-dollars. Absent if the change is not about an amount.',
    10_100_000,
  ),
  atMostMicros: described(
    z.int().optional(),
    'The largest amount that passes, in micro-dollars. Absent if the change is not about an amount.',
    60_000,
  ),
  atLeastCalls: described(
    z.int().optional(),
    'The fewest calls that suffice. Absent if the change is not about calls.',
    6,
  ),
  atLeastMs: described(
    z.int().optional(),
    'The shortest time that suffices, in milliseconds. Absent if the change is not about a duration.',
    6_000,
  ),
  notBefore: described(
    z.string().optional(),
    'The earliest time at which the action passes. Absent if the change is not about a time.',
    '2026-01-05T10:30:41.004Z',
  ),
  after: described(
    z.string().optional(),
    'The new expiry must come after this time. Absent if the change is not about an expiry.',
    '2026-01-05T09:30:41.004Z',
  ),
});
type Way = z.output<typeof way>;

const AS = ['the-same-request', 'next-attempt', 'new-id'] as const;

export const change = z.object({
  needs: described(
    z.array(
      z.object({
        check: described(z.string(), 'The check that did not pass.', 'budget'),
        why: described(
          z.string(),
          'What it found, as a sentence.',
          'the agent budget "total" has $0.04 left, and the call costs $0.10',
        ),
        anyOf: described(z.array(way), 'Changes that meet the need. Any one of them suffices.'),
      }),
    ),
    'What stood in the way. All of these needs must be met, each by any one of its changes.',
  ),
  near: described(
    z.array(
      z.object({
        check: described(z.string(), 'The check that passed narrowly.', 'tool-rate'),
        why: described(z.string(), 'What it found, as a sentence.', '4 of 5 calls in an hour'),
        words: described(z.string(), 'How narrowly, as a sentence.', 'one more call passes'),
      }),
    ),
    'The checks that passed only narrowly.',
  ),
  unasked: described(z.array(z.string()), 'Checks that were not asked and might still object.', [
    'mandate-rate',
  ]),
  askAgainAs: described(
    z.enum(AS).nullable(),
    'How the action can be asked again. null: nothing has to be asked again.',
  ),
});
export type Change = z.output<typeof change>;

/** If one of these checks blocks, the decider does not reach the checks of a mandate. */
const WITHOUT_MANDATE: ReadonlySet<string> = new Set(['tenant-open', 'mandate-found', 'within-steps']);
const NEAR_EXPIRY_MS = 24 * 3_600_000;

export function whatWouldChange(decision: Decision): Change {
  const { checks } = decision;
  const known = isUnpriced(checks) ? checks.filter(({ check }) => !OF_COST.has(check)) : checks;
  const needs = known.flatMap((check) =>
    check.result === 'block' || check.result === 'defer'
      ? [{ check: check.check, why: checkInWords(check, decision), anyOf: waysPast(check, decision) }]
      : [],
  );
  const near = known.flatMap((check) => {
    const words = check.result === 'pass' ? whatWouldHaveBlocked(parseEvidence(check), decision) : null;
    return words === null ? [] : [{ check: check.check, why: checkInWords(check, decision), words }];
  });
  const unasked = checks
    .filter((check) => check.result === 'skip' || !known.includes(check))
    .map(({ check }) => check);
  if (needs.some(({ check }) => WITHOUT_MANDATE.has(check))) unasked.push('every check of a mandate');
  // No check caused this verdict, because the decider itself failed.
  if (needs.length === 0 && decision.code === 'INTERNAL_ERROR') {
    needs.push({ check: 'internal', why: decision.reason, anyOf: [nextAttempt(decision)] });
  }
  return { needs, near, unasked: [...new Set(unasked)], askAgainAs: askAgainAs(decision) };
}

const OF_COST: ReadonlySet<string> = new Set(['tool-cost-per-call', 'mandate-cost-per-call']);

/** True if the cost was unknown. The checks of the cost then had no true cost to compare. */
function isUnpriced(checks: readonly Check[]): boolean {
  return checks.some(({ check, result }) => check === 'model-priced' && result === 'block');
}

function askAgainAs({ verdict, final }: Decision): Change['askAgainAs'] {
  if (verdict === 'ALLOW') return null;
  if (verdict === 'DEFER') return 'the-same-request';
  return final ? 'new-id' : 'next-attempt';
}

function waysPast(check: Check, decision: Decision): Way[] {
  const evidence = parseEvidence(check);
  switch (evidence.by) {
    case 'duplicate':
      return decision.verdict === 'DEFER' ? [APPROVAL] : [ANOTHER_ID];
    case 'replay-memory':
      return [
        {
          way: 'room-to-remember',
          words: `room for another id of the tenant (\`rememberedIds\`, or as ids are forgotten), and ${nextAttempt(decision).words}`,
        },
      ];
    case 'deadline':
      return [...longerDeadline(decision), nextAttempt(decision)];
    case 'kill-switch':
      return [{ way: 'revive', words: 'a revive by an operator, and a new id for the action' }];
    case 'within-steps':
      return [
        {
          way: 'less-to-judge',
          words: `shorter texts, or rules and policies that take at most ${evidence.steps} steps to ask`,
        },
      ];
    case 'tenant-open':
      return [
        {
          way: 'open-tenant',
          words: `the tenant "${evidence.tenant}" opened again by the operator of the plane, and a new id for the action`,
        },
      ];
    case 'policy-found':
      return [
        {
          way: 'mandate-for-agent',
          words: `the policy "${evidence.policy}" published again, or no rule that names it`,
        },
      ];
    case 'mandate-found':
      if (evidence.context !== undefined)
        return [
          {
            way: 'mandate-for-agent',
            words: `a grant for this context.${evidence.context}, or no mandateId`,
          },
        ];
      if (evidence.retiredAt !== undefined)
        return [
          {
            way: 'mandate-for-agent',
            words: `"${evidence.agentId}" registered again, and a rule that matches it`,
          },
        ];
      if (evidence.requiresGrant !== undefined)
        return [
          {
            way: 'mandate-for-agent',
            words: `a grant for "${evidence.agentId}", with its id as mandateId of the action`,
          },
        ];
      if (evidence.registered)
        return [{ way: 'mandate-for-agent', words: `a rule that matches what "${evidence.agentId}" does` }];
      return [
        {
          way: 'mandate-for-agent',
          words: `a mandate whose agents name "${evidence.agentId}"${mandateNamed(decision)}`,
        },
      ];
    case 'mandate-alive':
      if (evidence.revokedAt !== undefined)
        return [{ way: 'mandate-for-agent', words: 'another grant, or no mandateId' }];
      return [
        {
          way: 'later-expiry',
          words: `a mandate that expires after ${decision.decidedAt}`,
          field: 'expiresAt',
          after: decision.decidedAt,
        },
      ];
    case 'tool-denied':
      return [notDenied('deniedTools', 'tool', evidence.tool, evidence.pattern)];
    case 'tool-known':
      return [
        {
          way: 'declared',
          words: `"${evidence.tool}" among the declared tools`,
          field: 'tools',
          name: evidence.tool,
        },
      ];
    case 'tool-allowed':
      return [allowed('allowedTools', 'tool', evidence.tool)];
    case 'arguments-valid':
      return evidence.fault === null ? [] : [otherArguments(evidence.fault)];
    case 'model-allowed':
      return evidence.pattern === undefined
        ? [allowed('allowedModels', 'model', evidence.model)]
        : [notDenied('deniedModels', 'model', evidence.model, evidence.pattern)];
    case 'provider-allowed':
      if (evidence.provider === null)
        return [{ way: 'stated-provider', words: 'the provider on the request, and one that is allowed' }];
      return evidence.pattern === undefined
        ? [allowed('allowedProviders', 'provider', evidence.provider)]
        : [notDenied('deniedProviders', 'provider', evidence.provider, evidence.pattern)];
    case 'model-priced':
      return [evidence.missing === undefined ? statedPrice(evidence.model) : statedTokens(evidence.missing)];
    case 'estimate-stated':
      return [
        {
          way: 'stated-price',
          words: `estimatedCostMicros above 0 on the request, or a cost of toolPolicies.${evidence.tool}`,
          name: evidence.tool,
        },
      ];
    case 'tool-cost-per-call':
      return costsLess(evidence, `toolPolicies.${decision.tool}.maxCostPerCall`);
    case 'mandate-cost-per-call':
      return costsLess(evidence, 'maxCostPerCall');
    case 'tool-rate':
    case 'mandate-rate':
      return [moreCalls(evidence), ...notBefore(evidence, decision)];
    case 'open-calls':
      return [moreOpen(evidence), ...notBefore(evidence, decision)];
    case 'budget':
      return fits(evidence, decision);
    case 'confirmation':
      return [confirmed(evidence, decision)];
    case 'unknown':
      return [];
    default:
      return waysPastGoverned(evidence);
  }
}

const ANOTHER_ID: Way = {
  way: 'another-id',
  words: 'an id of its own for the action, and an idempotency key of its own where it has one',
};
const APPROVAL: Way = { way: 'approval', words: "a person's approval, and then the same request again" };

function statedPrice(name: string): Way {
  return {
    way: 'stated-price',
    words: `a price for "${name}" in modelPrices, or the name that its provider gives to the model`,
    field: 'modelPrices',
    name,
  };
}

function statedTokens(missing: readonly string[]): Way {
  const named = missing.join(' and ');
  return {
    way: 'stated-tokens',
    words: `${named} on the request, or in defaultTokens`,
    field: 'defaultTokens',
  };
}

function nextAttempt({ attempt }: Decision): Way {
  return { way: 'next-attempt', words: `the same action as attempt ${attempt + 1}` };
}

function longerDeadline(decision: Decision): Way[] {
  const atLeastMs = waitedMs(decision);
  if (atLeastMs === 0 || atLeastMs > CAPS.deadlineMs) return [];
  const words = `a deadline of at least ${durationInWords(atLeastMs)} (deadlineMs of the request)`;
  return [{ way: 'longer-deadline', words, atLeastMs }];
}

function mandateNamed({ action }: Decision): string {
  return action.mandateId === undefined
    ? ''
    : `, and that is the one the request names ("${action.mandateId}")`;
}

function notDenied(
  field: 'deniedTools' | 'deniedModels' | 'deniedProviders',
  what: string,
  name: string,
  pattern: string | undefined,
): Way {
  const others =
    field === 'deniedTools'
      ? ', or another tool'
      : `, and one of ${field.replace('denied', 'allowed')} that does, where there are any`;
  return {
    way: 'not-denied',
    words: `no pattern of ${field} that matches the ${what} "${name}" (the first is "${pattern}")${others}`,
    field,
    name,
  };
}

function allowed(
  field: 'allowedTools' | 'allowedModels' | 'allowedProviders',
  what: string,
  name: string,
): Way {
  return {
    way: 'allowed',
    words: `the ${what} "${name}" on the list ${field}, or another ${what}`,
    field,
    name,
  };
}

function otherArguments({
  rule,
  pointer,
  expected,
}: {
  rule: string;
  pointer: string;
  expected: string;
}): Way {
  return {
    way: 'other-arguments',
    words: `arguments that obey the rule "${rule}" at ${pointer || 'the top'} (expected ${expected}); only the first fault is shown`,
  };
}

function costsLess(
  { costMicros, maxMicros }: { costMicros: number; maxMicros: number },
  field: string,
): Way[] {
  return [
    {
      way: 'higher-limit',
      words: `a ${field} of at least ${formatMicros(costMicros)}`,
      field,
      atLeastMicros: costMicros,
    },
    cheaper(maxMicros),
  ];
}

function cheaper(atMostMicros: number): Way {
  return {
    way: 'cheaper-call',
    words: `a call that costs at most ${formatMicros(atMostMicros)}`,
    atMostMicros,
  };
}

type Rate = Extract<Evidence, { by: 'tool-rate' | 'mandate-rate' }>;

function moreCalls({ scope, calls, windowMs, ancestor, otherLimits }: Rate): Way {
  const whose =
    scope === 'principal' ? ' for each person' : ancestor === undefined ? '' : ` for "${ancestor}"`;
  return {
    way: 'more-calls',
    words: `a rate${whose} of at least ${calls + 1} calls in ${durationInWords(windowMs)}${blockingPoliciesInWords(otherLimits)}`,
    atLeastCalls: calls + 1,
  };
}

function moreOpen({ calls, otherLimits }: Extract<Evidence, { by: 'open-calls' }>): Way {
  const atLeastCalls = calls + 1;
  return {
    way: 'more-open',
    words: `a maxOpen of at least ${atLeastCalls}${blockingPoliciesInWords(otherLimits)}, or an outcome of a call that has ended`,
    atLeastCalls,
  };
}

function notBefore({ retryAfterMs }: { retryAfterMs: number | null }, decision: Decision): Way[] {
  if (retryAfterMs === null) return [];
  const notBefore = wireTime(Date.parse(decision.decidedAt) + retryAfterMs);
  const words = `not before ${notBefore}, if nothing else is charged until then`;
  return [{ way: 'not-before', words, notBefore }];
}

function fits(evidence: Extract<Evidence, { by: 'budget' }>, decision: Decision): Way[] {
  const { scope, id, windowMs, spentMicros, maxMicros, costMicros } = evidence;
  const budget = { scope, id, windowMs };
  const whose = scope === 'agent' ? ofAncestor(evidence) : '';
  const name = `the ${scope} budget "${id}"${whose}${windowMs === null ? '' : ` of ${durationInWords(windowMs)}`}`;
  const waiting = notBefore(evidence, decision);
  // Decisions of older versions do not contain the cost of the call.
  if (costMicros === undefined || maxMicros === null) {
    return [{ way: 'higher-limit', words: `more in ${name}`, budget }, ...waiting];
  }
  const atLeastMicros = spentMicros + costMicros;
  const missingMicros = atLeastMicros - maxMicros;
  // If an operator gives money back, the counter of a window can fall to zero but not below. A counter without a
  // window can fall below zero.
  const isMended = windowMs === null || missingMicros <= spentMicros;
  const back = isMended ? `, or ${formatMicros(missingMicros)} given back to it` : '';
  const words = `at least ${formatMicros(atLeastMicros)} in ${name}${blockingPoliciesInWords(evidence.otherLimits)}${back}`;
  return [
    ...(atLeastMicros <= CAPS.amountMicros
      ? [{ way: 'higher-limit' as const, words, budget, atLeastMicros }]
      : []),
    ...(spentMicros <= maxMicros ? [cheaper(maxMicros - spentMicros)] : []),
    ...waiting,
  ];
}

function confirmed(evidence: Extract<Evidence, { by: 'confirmation' }>, decision: Decision): Way {
  const { grant } = evidence;
  if (mayNotWait(evidence, evidence)) {
    const { way, words } = nextAttempt(decision);
    return { way, words: `a person's answer to an action of the agent that waits, and then ${words}` };
  }
  if (grant === 'denied') {
    return {
      way: 'another-id',
      words: "a new id for the action, and a person's approval of the new action: this refusal is final",
    };
  }
  if (grant === 'expired') {
    const { way, words } = nextAttempt(decision);
    return { way, words: `${words}, and a person's approval of that attempt` };
  }
  return APPROVAL;
}

/** Returns what would have blocked the action, as text. Null if the use was not close to the limit of this check. */
function whatWouldHaveBlocked(evidence: Evidence, { decidedAt }: Decision): string | null {
  switch (evidence.by) {
    case 'mandate-alive': {
      const leftMs = Date.parse(evidence.expiresAt) - Date.parse(decidedAt);
      return leftMs <= NEAR_EXPIRY_MS ? `${evidence.expiresAt} or later, when the mandate has expired` : null;
    }
    case 'tool-cost-per-call':
    case 'mandate-cost-per-call': {
      const { costMicros, maxMicros } = evidence;
      return isNear(costMicros, maxMicros) ? `a call that costs more than ${formatMicros(maxMicros)}` : null;
    }
    case 'tool-rate':
    case 'mandate-rate': {
      const { calls, maxCalls, windowMs } = evidence;
      if (!isNear(calls + 1, maxCalls)) return null;
      const more = maxCalls - calls;
      return `${more} more ${more === 1 ? 'call' : 'calls'} in the ${durationInWords(windowMs)} before it`;
    }
    case 'budget': {
      const { scope, id, spentMicros, maxMicros, costMicros } = evidence;
      if (maxMicros === null || costMicros === undefined) return null;
      if (!isNear(spentMicros + costMicros, maxMicros)) return null;
      return `a call that costs more than ${formatMicros(maxMicros - spentMicros)}: all that the ${scope} budget "${id}" had left`;
    }
    case 'turn': {
      const { turnId, calls, maxCalls } = evidence;
      if (calls === undefined || maxCalls == null || !isNear(calls + 1, maxCalls)) return null;
      return `${maxCalls - calls} more such ${maxCalls - calls === 1 ? 'call' : 'calls'} in the turn "${turnId}" before it`;
    }
    default:
      return null;
  }
}

/**
 * True if the use was close to the limit. A use is never close to a limit of zero, because only actions that use
 * nothing pass this limit.
 */
function isNear(used: number, most: number): boolean {
  return most > 0 && used * 100 >= most * NEAR_MISS_AT;
}
