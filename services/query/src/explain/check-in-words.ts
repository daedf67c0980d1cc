/** Describes the result of a check in a sentence, for a person who asks for the reason. */
import { type Check, type Decision, durationInWords, formatMicros, mayNotWait } from '@mandate/schemas';
import { governedInWords } from './governed-in-words.ts';
import { otherPoliciesInWords } from './other-policies-in-words.ts';
import { type Evidence, ofAncestor, parseEvidence } from './parse-evidence.ts';

export function checkInWords(check: Check, decision: Decision): string {
  if (check.result === 'skip') return 'It was not asked: an earlier check had settled the verdict.';
  const evidence = parseEvidence(check);
  const others = 'otherLimits' in evidence ? otherPoliciesInWords(evidence.by, evidence.otherLimits) : '';
  return sentence(evidence, check.result === 'pass', decision) + others;
}

function sentence(evidence: Evidence, passed: boolean, decision: Decision): string {
  switch (evidence.by) {
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
      return `The tenant was closed at ${evidence.closedAt}.`;
    case 'within-steps':
      return `To ask every rule and policy takes more than ${evidence.steps} steps.`;
    case 'policy-found':
      return `A rule names the policy "${evidence.policy}", which did not exist or was archived.`;
    case 'mandate-found':
      if (evidence.retiredAt !== undefined)
        return `The agent "${evidence.agentId}" was retired at ${evidence.retiredAt}.`;
      if (evidence.requiresGrant !== undefined)
        return `The agent "${evidence.requiresGrant}" acts only under a grant, and the action named none.`;
      if (evidence.registered) return `No rule matched what the agent "${evidence.agentId}" did.`;
      return `No mandate that applies was found for the agent "${evidence.agentId}".`;
    case 'mandate-alive':
      if (evidence.revokedAt !== undefined) return `The mandate was revoked at ${evidence.revokedAt}.`;
      return `The mandate ${passed ? 'expires' : 'expired'} at ${evidence.expiresAt}.`;
    case 'tool-denied':
      return passed
        ? `No pattern of deniedTools matches "${evidence.tool}".`
        : `The pattern "${evidence.pattern}" of deniedTools matches "${evidence.tool}".`;
    case 'tool-known':
      return passed
        ? `"${evidence.tool}" is one of the tools that are declared.`
        : `"${evidence.tool}" is none of the ${evidence.declared} tools that are declared.`;
    case 'tool-allowed':
      return passed
        ? `The pattern "${evidence.pattern}" of ${evidence.delegated ? 'delegableTools' : 'allowedTools'} matches "${evidence.tool}".`
        : `No pattern of allowedTools matches "${evidence.tool}".`;
    case 'arguments-valid':
      return evidence.fault === null
        ? 'The arguments obey every rule.'
        : `The arguments break the rule "${evidence.fault.rule}" at ${evidence.fault.pointer || 'the top'}: expected ${evidence.fault.expected}.`;
    case 'model-allowed':
      return modelSentence(evidence, passed);
    case 'provider-allowed':
      return providerSentence(evidence, passed);
    case 'model-priced':
      return priceSentence(evidence, passed);
    case 'tokens-stated':
      return evidence.missing === undefined
        ? `The call can use ${evidence.callTokens} tokens.`
        : `The call does not say its ${evidence.missing.join(' and ')}, and a limit on tokens is in force.`;
    case 'estimate-stated':
      return passed
        ? `The tool "${evidence.tool}" has no price, and the call states ${formatMicros(evidence.estimateMicros)}.`
        : `The tool "${evidence.tool}" has no price, and the call states no estimate above $0.`;
    case 'tool-cost-per-call':
    case 'mandate-cost-per-call':
      return `The call costs ${formatMicros(evidence.costMicros)} (${evidence.price}); at most ${formatMicros(evidence.maxMicros)} may be.`;
    case 'tool-rate':
    case 'mandate-rate':
      return `${evidence.calls} of ${evidence.maxCalls} calls${evidence.scope === 'principal' ? ' for this person' : ofAncestor(evidence)} in ${durationInWords(evidence.windowMs)} had been made.`;
    case 'open-calls':
      return `${evidence.calls} calls of the agent had no outcome yet; at most ${evidence.maxCalls} may be open at one time.`;
    case 'budget':
      return budgetSentence(evidence);
    case 'tokens':
    case 'tool-calls':
      return unitSentence(evidence);
    case 'confirmation':
      return confirmationSentence(evidence);
    case 'unknown':
      return passed ? 'It passed.' : 'It did not pass; this version cannot read its evidence.';
    default:
      return governedInWords(evidence, passed);
  }
}

/** Returns the milliseconds from the append of the request to the step of the ledger. */
export function waitedMs({ appendedAt, decidedAt }: Decision): number {
  return Math.max(0, Date.parse(decidedAt) - Date.parse(appendedAt));
}

function modelSentence(
  { model, pattern }: Extract<Evidence, { by: 'model-allowed' }>,
  passed: boolean,
): string {
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
  { provider, pattern }: Extract<Evidence, { by: 'provider-allowed' }>,
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
  { model, price, missing }: Extract<Evidence, { by: 'model-priced' }>,
  passed: boolean,
): string {
  if (passed) return `The price of "${model}" is known (${price}).`;
  if (missing !== undefined)
    return `The call does not say its ${missing.join(' and ')}, and a budget is in force.`;
  return `The price of "${model}" is unknown, and a budget is in force.`;
}

function budgetSentence(evidence: Extract<Evidence, { by: 'budget' }>): string {
  const { scope, id, windowMs, spentMicros, maxMicros, costMicros } = evidence;
  const period = windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
  const call = costMicros === undefined ? '' : `, and the call costs ${formatMicros(costMicros)}`;
  const of = maxMicros === null ? 'with no limit' : `of ${formatMicros(maxMicros)}${period}`;
  return `Of the ${scope} budget "${id}"${scope === 'agent' ? ofAncestor(evidence) : ''} ${of}, ${formatMicros(spentMicros)} was spent${call}.`;
}

function unitSentence(evidence: Extract<Evidence, { by: 'tokens' | 'tool-calls' }>): string {
  const { by, scope, id, windowMs, used, reserve, most } = evidence;
  const period = windowMs === null ? '' : ` in ${durationInWords(windowMs)}`;
  const whose = scope === 'agent' ? ofAncestor(evidence) : '';
  const limit = `Of the ${scope} limit "${id}"${whose}`;
  if (by === 'tokens')
    return `${limit} of ${most} tokens${period}, ${used} were used, and the call can use ${reserve}.`;
  return `${limit} of ${most} tool calls${period}, answers had asked for ${used}, and the call needs room for ${reserve}.`;
}

function confirmationSentence(evidence: Extract<Evidence, { by: 'confirmation' }>): string {
  const { grant, waiting, maxWaiting } = evidence;
  if (!mayNotWait(evidence, evidence)) return CONFIRMATIONS[grant];
  return `A person has to approve it, and ${waiting} deferred actions of the agent wait for a person already; at most ${maxWaiting} may.`;
}

const CONFIRMATIONS = {
  none: 'A person has to approve it, and none had answered.',
  granted: 'A person approved it.',
  denied: 'A person refused it.',
  expired: 'A person approved it, but that ran out before it was used.',
} as const;
