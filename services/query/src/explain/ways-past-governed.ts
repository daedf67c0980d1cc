/** The ways past the checks of manifests, of turns and of roles. */
import { listed } from '@mandate/schemas';
import type { GovernedEvidence } from './parse-evidence.ts';

export const GOVERNED_WAYS = [
  'another-person',
  'shorter-text',
  'other-text',
  'left-out',
  'another-store',
  'another-category',
  'another-turn',
  'changed-policy',
] as const;

/** A change, in words. `field` is the field of the policy to change. */
export type GovernedWay = { way: (typeof GOVERNED_WAYS)[number]; words: string; field?: string };

export function waysPastGoverned(evidence: GovernedEvidence): GovernedWay[] {
  switch (evidence.by) {
    case 'role-known':
      return [
        { way: 'another-person', words: `a person with one of these roles: ${listed(evidence.roles)}` },
        changed('governance.roles', `${named(evidence.role, 'the role')} among the declared roles`),
      ];
    case 'role-allowed':
      return [
        {
          way: 'another-person',
          words:
            evidence.roles.length === 0
              ? 'another tool: nobody may use this one'
              : `a person with one of these roles: ${listed(evidence.roles)}; or another tool`,
        },
        changed(
          `toolPolicies.${evidence.tool}.roles`,
          `${named(evidence.role, 'the role')} among the roles that may use "${evidence.tool}"`,
        ),
      ];
    case 'input-length':
      return shorter('prompt', evidence, 'governance.guardrails.input.max_length');
    case 'output-length':
      return shorter('answer', evidence, 'governance.guardrails.output.max_length');
    case 'input-patterns':
      return [
        {
          way: 'other-text',
          words: `a prompt that the blocked pattern number ${evidence.pattern} does not match`,
        },
      ];
    case 'output-content':
      return [{ way: 'other-text', words: `an answer without ${evidence.blocked.join(', ')}` }];
    case 'read-choices':
      return [
        {
          way: 'left-out',
          words: `no "${evidence.field}" in the action, or another origin (origins.${evidence.field}) if a program chose it`,
        },
      ];
    case 'read-isolation':
      return [{ way: 'left-out', words: 'no filter for another person, or an action of that person' }];
    case 'stores-allowed':
      return evidence.stores.length === 0
        ? [changed('governance.memory_policies.read.intent_mapping', 'stores for the intent')]
        : [{ way: 'another-store', words: `only these stores: ${listed(evidence.stores)}` }];
    case 'saves-decided':
      return [
        { way: 'another-store', words: 'the agent of the specialist, which may write to the store' },
        changed(
          'governance.specialist.memory_access',
          `${named(evidence.store, 'the store')} among the stores that the specialist may write`,
        ),
      ];
    case 'category-policies':
      return pastCategories(evidence);
    case 'turn':
      return pastTurn(evidence);
    case 'intent':
    case 'argument-defaults':
      return [];
  }
}

function shorter(what: string, { length, maxLength }: { length: number; maxLength: number }, field: string) {
  return [
    {
      way: 'shorter-text' as const,
      words: `${what === 'answer' ? 'an answer' : `a ${what}`} of at most ${maxLength} characters`,
    },
    changed(field, `a ${field} of at least ${length}`),
  ];
}

function pastCategories(evidence: Extract<GovernedEvidence, { by: 'category-policies' }>): GovernedWay[] {
  const { store, field, permission, under, from, length, most } = evidence;
  const config = 'governance.categories';
  if (store !== undefined)
    return [
      { way: 'another-store', words: 'a store of the config of categories' },
      changed(config, `the store "${store}" in the config of categories`),
    ];
  if (field !== undefined) return [{ way: 'left-out', words: `"${field}" from the system` }];
  if (permission !== undefined)
    return [
      { way: 'another-category', words: 'another category' },
      changed(config, `permissions.${permission} true in the policies of "${from}"`),
    ];
  if (under !== undefined)
    return [
      { way: 'another-category', words: 'a category that exists' },
      changed(config, `subcategoryCreation true in the policies of "${from}"`),
    ];
  const shorterText: GovernedWay = { way: 'shorter-text', words: `a text of at most ${most} characters` };
  if (typeof from !== 'string') return [shorterText];
  const raised = `a maxContentLength of at least ${length} in the policies of "${from}"`;
  return [shorterText, changed(config, raised)];
}

function pastTurn({
  fails,
  intent,
  calls,
  maxCalls,
}: Extract<GovernedEvidence, { by: 'turn' }>): GovernedWay[] {
  const another: GovernedWay = { way: 'another-turn', words: 'a new turn, opened by another prompt' };
  switch (fails) {
    case 'unknown':
      return [
        { way: 'another-turn', words: 'an allowed prompt of the agent, with its id as turnId of the action' },
      ];
    case 'person':
      return [{ way: 'another-person', words: 'the person of the turn' }, another];
    case 'intent':
      return [
        {
          way: 'another-turn',
          words: `a turn with an intent that gives it; the intent of this one is "${intent}"`,
        },
      ];
    case 'calls':
      return [
        another,
        changed('governance.guardrails.agent', `a limit of at least ${(calls ?? maxCalls ?? 0) + 1} calls`),
      ];
    default:
      return [another];
  }
}

function changed(field: string, words: string): GovernedWay {
  return { way: 'changed-policy', words, field };
}

function named(name: string | null | undefined, otherwise: string): string {
  return name == null ? otherwise : `"${name}"`;
}
