/**
 * Finds what a version of a policy allows and the version before it did not, in the section `governance`. A difference
 * that cannot be compared counts as wider.
 *
 * Each difference has two descriptions, one for each direction, so both come from the code that finds the difference.
 */
import { deepEqual, type GovernanceDocument } from '@mandate/schemas';
import type { ManifestDocument } from '@mandate/schemas/manifest';
import { LETS_THROUGH, type Widening, widens } from './compare.ts';
import { categoriesWiden } from './wider-categories.ts';
import { guardrailWidenings } from './wider-guardrails.ts';
import { readWidenings, writeWidenings } from './wider-memory.ts';

/** A difference that allows more. `narrower`: its description if the two documents are exchanged. */
export type Difference = { readonly wider: string; readonly narrower: string };

/** Returns one difference for each widening. Empty if there is none. */
export function governanceWidenings(
  before: GovernanceDocument | undefined,
  after: GovernanceDocument | undefined,
): readonly Difference[] {
  if (deepEqual(before ?? null, after ?? null)) return [];
  if (before === undefined) return opens(after);
  if (after === undefined)
    return [{ wider: 'governance: the section is gone', narrower: 'governance: the section is new' }];
  return allWidenings(before, after).map(({ path, message, narrower }) => {
    const field = `governance.${path.map(String).join('.')}`;
    return { wider: `${field}: ${message().replace(LETS_THROUGH, '')}`, narrower: `${field}: ${narrower()}` };
  });
}

/**
 * A policy without the section gives no access to memory. For everything else in the section, other policies decide.
 */
function opens(after: GovernanceDocument | undefined): Difference[] {
  const { memory_policies: memory, categories } = after ?? {};
  return [
    ...opened(memory?.read, 'memory_policies.read', 'memory may be read', 'memory may not be read'),
    ...opened(memory?.write, 'memory_policies.write', 'memories are saved', 'memories are not saved'),
    ...opened(categories, 'categories', 'memories may be changed', 'memories may not be changed'),
  ];
}

function opened(section: unknown, field: string, wider: string, narrower: string): Difference[] {
  if (section === undefined) return [];
  return [{ wider: `governance.${field}: ${wider}`, narrower: `governance.${field}: ${narrower}` }];
}

const OTHER_INTENTS = 'prompts may have another intent';

function allWidenings(before: GovernanceDocument, after: GovernanceDocument): readonly Widening[] {
  const intents = (after.intents ?? before.intents ?? []) as ManifestDocument['intents'];
  return [
    ...namesAdded(['roles'], before.roles, after.roles),
    ...(['intents', 'entity_types'] as const).flatMap((field) =>
      before[field] === undefined || deepEqual(before[field], after[field])
        ? []
        : [widens([field], OTHER_INTENTS, OTHER_INTENTS)],
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
): Widening[] {
  return Object.entries(was).flatMap(([tool, { intents }]) =>
    namesAdded(['tools', tool, 'intents'], intents, is[tool]?.intents),
  );
}

function specialistWidens(
  { specialist: was }: GovernanceDocument,
  { specialist: is }: GovernanceDocument,
): Widening[] {
  if (was === undefined) return [];
  if (is === undefined)
    return [widens(['specialist'], 'what limited the specialist is gone', 'the specialist is limited')];
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
): Widening[] {
  if (was === undefined) return [];
  if (is === undefined) return [widens(path, 'the list is gone', 'the list is new')];
  const more = is.filter((name) => !was.includes(name));
  const names = () => more.slice(0, MOST_NAMED).join(', ');
  return more.length === 0 ? [] : [widens(path, names, () => `no longer ${names()}`)];
}

const MOST_NAMED = 5;
