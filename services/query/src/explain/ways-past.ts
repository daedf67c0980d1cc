/** Names the changes that let an action pass a check that did not pass, with exact numbers. */
import {
  CAPS,
  type Check,
  type Decision,
  durationInWords,
  formatMicros,
  mayNotWait,
  UNIT_NAMES,
  wireTime,
} from '@mandate/schemas';
import type { Way } from './change.ts';
import { waitedMs } from './check-in-words.ts';
import { blockingPoliciesInWords } from './other-policies-in-words.ts';
import { type Evidence, ofAncestor, parseEvidence } from './parse-evidence.ts';
import { waysPastGoverned } from './ways-past-governed.ts';

/** Returns the changes after which this check does not block the action any more. */
export function waysPast(check: Check, decision: Decision): Way[] {
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
    case 'tokens-stated':
      return evidence.missing === undefined ? [] : [statedTokens(evidence.missing)];
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
    case 'tokens':
    case 'tool-calls':
      return fitsInUnit(evidence, decision);
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

export function nextAttempt({ attempt }: Decision): Way {
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

function fitsInUnit(evidence: Extract<Evidence, { by: 'tokens' | 'tool-calls' }>, decision: Decision): Way[] {
  const { by, scope, id, windowMs, used, reserve, most } = evidence;
  const unit = by === 'tokens' ? 'tokens' : 'toolCalls';
  const { noun } = UNIT_NAMES[unit];
  const budget = { scope, id, windowMs };
  const whose = scope === 'agent' ? ofAncestor(evidence) : '';
  const name = `the ${scope} limit "${id}"${whose}${windowMs === null ? '' : ` of ${durationInWords(windowMs)}`}`;
  const atLeast = used + reserve;
  const missing = atLeast - most;
  const isMended = windowMs === null || missing <= used;
  const back = isMended ? `, or ${missing} ${noun} given back to it` : '';
  const words = `at least ${atLeast} ${noun} in ${name}${blockingPoliciesInWords(evidence.otherLimits)}${back}`;
  const left = most - used;
  const bound = unit === 'tokens' ? { atLeastTokens: atLeast } : { atLeastToolCalls: atLeast };
  return [
    ...(atLeast <= CAPS.amountOfUnit ? [{ way: 'higher-limit' as const, words, budget, ...bound }] : []),
    ...(unit === 'tokens' && left > 0
      ? [{ way: 'fewer-tokens' as const, words: `a call of at most ${left} tokens`, atMostTokens: left }]
      : []),
    ...notBefore(evidence, decision),
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
