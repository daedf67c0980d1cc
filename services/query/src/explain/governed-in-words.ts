/** Describes the results of the checks of manifests, of turns and of roles. */
import { durationInWords, listed, PERMISSION_IN_WORDS } from '@mandate/schemas';
import type { GovernedEvidence } from './parse-evidence.ts';

export function governedInWords(evidence: GovernedEvidence, passed: boolean): string {
  switch (evidence.by) {
    case 'role-known':
      if (evidence.role === null) return 'The action names no role of a person.';
      return `The role "${evidence.role}" is ${passed ? 'declared' : `none of the declared roles: ${listed(evidence.roles)}`}.`;
    case 'role-allowed':
      if (evidence.role === null) return 'The action names no role of a person.';
      return `A person with the role "${evidence.role}" ${passed ? 'may' : 'may not'} use the tool "${evidence.tool}".`;
    case 'input-length':
      return lengthSentence('prompt', evidence);
    case 'output-length':
      return lengthSentence('answer', evidence);
    case 'input-patterns':
      return passed
        ? `None of the ${evidence.patterns} blocked patterns matches the prompt.`
        : `The blocked pattern number ${evidence.pattern} matches the prompt.`;
    case 'intent':
      return evidence.trigger === 'fallback'
        ? `No keyword and no pattern was found, so the intent is the fallback, "${evidence.intent}".`
        : `The intent is "${evidence.intent}", by a ${evidence.trigger} of ${evidence.length} characters.`;
    case 'argument-defaults':
      return evidence.filled.length === 0
        ? 'No argument needed a default.'
        : `These absent arguments get their defaults: ${listed(evidence.filled)}.`;
    case 'read-choices':
      if (!passed) return `The model chose "${evidence.field}", which it must not choose (${evidence.rule}).`;
      return evidence.chosen.length === 0
        ? 'The model chose nothing of the read.'
        : `The model chose only what it may choose: ${listed(evidence.chosen)}.`;
    case 'read-isolation':
      return passed
        ? 'The read is limited to memories of the person.'
        : 'The read asks for memories of another person, or of nobody in particular.';
    case 'stores-allowed':
      return storesSentence(evidence, passed);
    case 'saves-decided':
      return savesSentence(evidence, passed);
    case 'output-content':
      if (!passed) return `The answer contains blocked content: ${evidence.blocked.join(', ')}.`;
      return evidence.redactions === 0
        ? 'No filter found anything in the answer.'
        : `The filters found ${counted(evidence.redactions ?? 0, 'part')} of the answer to redact.`;
    case 'category-policies':
      return passed
        ? `The policies of the categories permit ${evidence.operation ?? 'the operation'}.`
        : categorySentence(evidence);
    case 'turn':
      return turnSentence(evidence);
  }
}

function lengthSentence(what: string, { length, maxLength }: { length: number; maxLength: number }): string {
  return `The ${what} has ${length} characters; at most ${maxLength} are allowed.`;
}

function storesSentence(
  { turnId, intent, stores }: Extract<GovernedEvidence, { by: 'stores-allowed' }>,
  passed: boolean,
): string {
  if (!passed) {
    const which = intent == null ? 'without an intent' : `for the intent "${intent}"`;
    return `A store was asked for that may not be read ${which}. These may be read: ${listed(stores)}.`;
  }
  return turnId == null
    ? `These stores may be read: ${listed(stores)}.`
    : `The stores follow from the intent of the turn "${turnId}".`;
}

function savesSentence(
  { decidedBy, stores, store }: Extract<GovernedEvidence, { by: 'saves-decided' }>,
  passed: boolean,
): string {
  if (!passed) return `The save goes to the store "${store}", which this specialist may not write.`;
  const by = SAVED_BY[decidedBy ?? ''] ?? `the rule "${decidedBy}"`;
  return stores.length === 0 ? `Nothing is saved, by ${by}.` : `It is saved to ${listed(stores)}, by ${by}.`;
}

/** What decides about saves besides the rules of the policy. */
const SAVED_BY: Readonly<Record<string, string>> = {
  none: 'no rule',
  hint: 'a hint',
  always: 'a trigger that always saves',
};

function categorySentence(evidence: Extract<GovernedEvidence, { by: 'category-policies' }>): string {
  const { store, field, origin, permission, category, under, from, length, most } = evidence;
  if (store !== undefined) return `The store "${store}" is not in the config of categories.`;
  if (field !== undefined) return `The ${origin} said "${field}", which it must not say.`;
  if (permission !== undefined)
    return `In the category "${category}", memories may not be ${PERMISSION_IN_WORDS[permission]}, by the policies of "${from}".`;
  if (under !== undefined)
    return `The category "${category}" would be made under "${under}", which permits no new categories.`;
  const what = from === null ? 'description' : 'content';
  return `The ${what} for the category "${category}" has ${length} characters; at most ${most} are allowed.`;
}

function turnSentence(evidence: Extract<GovernedEvidence, { by: 'turn' }>): string {
  const { turnId, intent, calls, maxCalls, timeoutMs, fails } = evidence;
  if (turnId === null) return 'The action names no turn, and a policy limits turns.';
  const turn = `the turn "${turnId}"`;
  switch (fails) {
    case 'unknown':
      return `No prompt "${turnId}" was allowed to the agent or one of its ancestors.`;
    case 'person':
      return `The person of the action, or the role of the person, differs from that of ${turn}.`;
    case 'timeout':
      return `It came when ${turn} was over, which may last ${durationInWords(timeoutMs ?? 0)}.`;
    case 'intent':
      return `The intent of ${turn} is "${intent}", and it does not give what the action asks for.`;
    default: {
      const ofIntent = intent === null ? '' : ` with the intent "${intent}"`;
      const had =
        maxCalls == null || calls === undefined ? '' : `, which had ${calls} of ${maxCalls} such calls`;
      return `It belongs to ${turn}${ofIntent}${had}.`;
    }
  }
}

function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}
