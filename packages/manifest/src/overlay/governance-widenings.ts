/**
 * Finds what a version of a policy lets through and the version before it did not, in the section `governance`. A
 * difference that cannot be compared counts as wider.
 */
import { deepEqual, type GovernanceDocument } from '@mandate/schemas';
import type { ManifestDocument } from '@mandate/schemas/manifest';
import type { Found } from '../fault.ts';
import { LETS_THROUGH, widens } from './compare.ts';
import { categoriesWiden } from './wider-categories.ts';
import { guardrailWidenings } from './wider-guardrails.ts';
import { readWidenings, writeWidenings } from './wider-memory.ts';

/** Returns one line for each widening. Empty if there is none. */
export function governanceWidenings(
  before: GovernanceDocument | undefined,
  after: GovernanceDocument | undefined,
): readonly string[] {
  if (deepEqual(before ?? null, after ?? null)) return [];
  if (before === undefined) return opens(after);
  if (after === undefined) return ['governance: the section is gone'];
  return allWidenings(before, after).map(
    ({ path, message }) => `governance.${path.map(String).join('.')}: ${message().replace(LETS_THROUGH, '')}`,
  );
}

/** A policy without the section gives no memory. Other policies decide about everything else in the section. */
function opens(after: GovernanceDocument | undefined): string[] {
  const { memory_policies: memory, categories } = after ?? {};
  return [
    ...(memory?.read === undefined ? [] : ['governance.memory_policies.read: memory may be read']),
    ...(memory?.write === undefined ? [] : ['governance.memory_policies.write: memories are saved']),
    ...(categories === undefined ? [] : ['governance.categories: memories may be changed']),
  ];
}

function allWidenings(before: GovernanceDocument, after: GovernanceDocument): readonly Found[] {
  const intents = (after.intents ?? before.intents ?? []) as ManifestDocument['intents'];
  return [
    ...namesAdded(['roles'], before.roles, after.roles),
    ...(['intents', 'entity_types'] as const).flatMap((field) =>
      before[field] === undefined || deepEqual(before[field], after[field])
        ? []
        : [widens([field], 'prompts may have another intent')],
    ),
    ...toolsWiden(before, after),
    ...readWidenings(before, after, { intents }),
    ...writeWidenings(before, after),
    ...guardrailWidenings(before, after),
    ...specialistWidens(before, after),
    ...categoriesWiden(before.categories, after.categories),
  ];
}

function toolsWiden(
  { tools: was = {} }: GovernanceDocument,
  { tools: is = {} }: GovernanceDocument,
): Found[] {
  return Object.entries(was).flatMap(([tool, { intents }]) =>
    namesAdded(['tools', tool, 'intents'], intents, is[tool]?.intents),
  );
}

function specialistWidens(
  { specialist: was }: GovernanceDocument,
  { specialist: is }: GovernanceDocument,
): Found[] {
  if (was === undefined) return [];
  if (is === undefined) return [widens(['specialist'], 'what limited the specialist is gone')];
  return [
    ...namesAdded(['specialist', 'handles_intents'], was.handles_intents, is.handles_intents),
    ...(['read', 'write'] as const).flatMap((access) =>
      namesAdded(
        ['specialist', 'memory_access', access],
        was.memory_access[access],
        is.memory_access[access],
      ),
    ),
  ];
}

/** An absent list limits nothing. */
function namesAdded(
  path: readonly string[],
  was: readonly string[] | undefined,
  is: readonly string[] | undefined,
): Found[] {
  if (was === undefined) return [];
  if (is === undefined) return [widens(path, 'the list is gone')];
  const more = is.filter((name) => !was.includes(name));
  return more.length === 0 ? [] : [widens(path, () => more.slice(0, MOST_NAMED).join(', '))];
}

const MOST_NAMED = 5;
