/** What a check found, as a sentence for the person who asks why. */
import { type Check, type Decision, durationInWords, formatMicros, mayNotWait } from '@mandate/schemas';
import { othersInWords } from './others-in-words.ts';
import { ofHolder, type Seen, seenBy } from './seen.ts';

export function checkInWords(check: Check, decision: Decision): string {
  if (check.result === 'skip') return 'It was not asked: an earlier check had settled the verdict.';
  const seen = seenBy(check);
  const others = 'otherLimits' in seen ? othersInWords(seen.otherLimits) : '';
  return sentence(seen, check.result === 'pass', decision) + others;
}

function sentence(seen: Seen, passed: boolean, decision: Decision): string {
  switch (seen.by) {
    case 'duplicate':
      return passed
        ? 'Neither its id nor its idempotency key was known.'
        : `It was decided before, by ${decision.duplicateOf?.decisionId ?? 'another decision'}.`;
    case 'replay-memory':
      return 'The ledger had no room to remember another id of the tenant.';
    case 'deadline':
      return passed
        ? 'It was decided before its deadline.'
        : `It had waited ${durationInWords(waitedMs(decision))} when its turn came, and its deadline was over.`;
    case 'kill-switch':
      return passed ? 'No kill switch stopped the agent.' : 'A kill switch stopped the agent.';
    case 'tenant-open':
      return `The tenant was closed at ${seen.closedAt}.`;
    case 'within-steps':
      return `To ask every rule and policy takes more than ${seen.steps} steps.`;
    case 'policy-found':
      return `A rule names the policy "${seen.policy}", which was not there, or was archived.`;
    case 'mandate-found':
      if (seen.retiredAt !== undefined)
        return `The agent "${seen.agentId}" was retired at ${seen.retiredAt}.`;
      if (seen.requiresGrant !== undefined)
        return `The agent "${seen.requiresGrant}" acts only under a grant, and the action named none.`;
      if (seen.registered) return `No rule matched what the agent "${seen.agentId}" did.`;
      return `No mandate that applies was found for the agent "${seen.agentId}".`;
    case 'mandate-alive':
      if (seen.revokedAt !== undefined) return `The mandate was revoked at ${seen.revokedAt}.`;
      return `The mandate ${passed ? 'expires' : 'expired'} at ${seen.expiresAt}.`;
    case 'tool-denied':
      return passed
        ? `No pattern of deniedTools matches "${seen.tool}".`
        : `The pattern "${seen.pattern}" of deniedTools matches "${seen.tool}".`;
    case 'tool-known':
      return passed
        ? `"${seen.tool}" is one of the tools that are declared.`
        : `"${seen.tool}" is none of the ${seen.declared} tools that are declared.`;
    case 'tool-allowed':
      return passed
        ? `The pattern "${seen.pattern}" of ${seen.delegated ? 'delegableTools' : 'allowedTools'} matches "${seen.tool}".`
        : `No pattern of allowedTools matches "${seen.tool}".`;
    case 'arguments-valid':
      return seen.fault === null
        ? 'The arguments keep every rule.'
        : `The arguments break the rule "${seen.fault.rule}" at ${seen.fault.pointer || 'the top'}: expected ${seen.fault.expected}.`;
    case 'model-allowed':
      return modelSentence(seen, passed);
    case 'provider-allowed':
      return providerSentence(seen, passed);
    case 'model-priced':
      return priceSentence(seen, passed);
    case 'estimate-stated':
      return passed
        ? `The tool "${seen.tool}" has no price, and the call states ${formatMicros(seen.estimateMicros)}.`
        : `The tool "${seen.tool}" has no price, and the call states no estimate above $0.`;
    case 'tool-cost-per-call':
    case 'mandate-cost-per-call':
      return `The call costs ${formatMicros(seen.costMicros)} (${seen.price}); at most ${formatMicros(seen.maxMicros)} may be.`;
    case 'tool-rate':
    case 'mandate-rate':
      return `${seen.calls} of ${seen.maxCalls} calls${ofHolder(seen)} in ${durationInWords(seen.windowMs)} had been made.`;
    case 'open-calls':
      return `${seen.calls} calls of the agent had no outcome yet; at most ${seen.maxCalls} may be open at one time.`;
    case 'budget':
      return budgetSentence(seen);
    case 'confirmation':
      return confirmationSentence(seen);
    case 'unknown':
      return passed ? 'It passed.' : 'It objected; what it saw is not known to this version.';
  }
}

/** Milliseconds from the log to the ledger's step. */
export function waitedMs({ appendedAt, decidedAt }: Decision): number {
  return Math.max(0, Date.parse(decidedAt) - Date.parse(appendedAt));
}

function modelSentence({ model, pattern }: Extract<Seen, { by: 'model-allowed' }>, passed: boolean): string {
  if (passed) {
    return pattern === undefined
      ? `No pattern of deniedModels matches "${model}".`
      : `The pattern "${pattern}" of allowedModels matches "${model}".`;
  }
  return pattern === undefined
    ? `No pattern of allowedModels matches "${model}".`
    : `The pattern "${pattern}" of deniedModels matches "${model}".`;
}

function providerSentence(
  { provider, pattern }: Extract<Seen, { by: 'provider-allowed' }>,
  passed: boolean,
): string {
  if (provider === null)
    return passed
      ? 'The call does not say its provider, and every provider is allowed.'
      : 'The call does not say its provider, and not every provider is allowed.';
  if (passed) {
    return pattern === undefined
      ? `No pattern of deniedProviders matches "${provider}".`
      : `The pattern "${pattern}" of allowedProviders matches "${provider}".`;
  }
  return pattern === undefined
    ? `No pattern of allowedProviders matches "${provider}".`
    : `The pattern "${pattern}" of deniedProviders matches "${provider}".`;
}

function priceSentence(
  { model, price, missing }: Extract<Seen, { by: 'model-priced' }>,
  passed: boolean,
): string {
  if (passed) return `The price of "${model}" is known (${price}).`;
  if (missing !== undefined)
    return `The call does not say its ${missing.join(' and ')}, and a budget is in force.`;
  return `The price of "${model}" is unknown, and a budget is in force.`;
}

function budgetSentence(seen: Extract<Seen, { by: 'budget' }>): string {
  const { scope, id, windowMs, spentMicros, maxMicros, costMicros } = seen;
  const period = windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
  const call = costMicros === undefined ? '' : `, and the call costs ${formatMicros(costMicros)}`;
  const of = maxMicros === null ? 'with no limit' : `of ${formatMicros(maxMicros)}${period}`;
  return `Of the ${scope} budget "${id}"${scope === 'agent' ? ofHolder(seen) : ''} ${of}, ${formatMicros(spentMicros)} was spent${call}.`;
}

function confirmationSentence(seen: Extract<Seen, { by: 'confirmation' }>): string {
  const { grant, waiting, maxWaiting } = seen;
  if (!mayNotWait(seen, seen)) return CONFIRMATIONS[grant];
  return `A person has to approve it, and ${waiting} deferred actions of the agent wait for a person already; at most ${maxWaiting} may.`;
}

const CONFIRMATIONS = {
  none: 'A person has to approve it, and none had answered.',
  granted: 'A person approved it.',
  denied: 'A person refused it.',
  expired: 'A person approved it, but that ran out before it was used.',
} as const;
