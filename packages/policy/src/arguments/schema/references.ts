/** References within one schema. */
import { legible, pointerStep } from '@mandate/schemas/core';
import { isMembers } from './keywords.ts';
import type { Place, SchemaFault } from './schema-place.ts';

export interface Followed {
  readonly targets: ReadonlyMap<string, unknown>;
  readonly faults: readonly SchemaFault[];
}

/** @param id the schema's own `$id`; references may begin with this id */
export function followReferences(
  places: readonly Place[],
  anchors: ReadonlyMap<string, unknown>,
  id: string | null,
): Followed {
  const targets = new Map<string, unknown>();
  const faults: SchemaFault[] = [];
  let byPointer: ReadonlyMap<string, Place> | null = null;
  for (const { path, part } of places) {
    for (const { keyword, reference } of referencesOf(part)) {
      byPointer ??= new Map(places.map((place) => [place.path.map(pointerStep).join(''), place]));
      const place = targetOf(reference, { byPointer, anchors, id });
      if (place === null) {
        const message = `${keyword} ${legible(reference)} leads to no schema within this schema, and schemas are never fetched`;
        faults.push({ path: [...path, keyword], message });
      } else targets.set(reference, place.part);
    }
  }
  return { targets, faults };
}

/** Returns the references of one schema object, without the references of its subschemas. */
export function referencesOf(part: unknown): readonly { keyword: string; reference: string }[] {
  if (!isMembers(part)) return [];
  const found: { keyword: string; reference: string }[] = [];
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = part[keyword];
    if (Object.hasOwn(part, keyword) && typeof reference === 'string') found.push({ keyword, reference });
  }
  return found;
}

/**
 * Returns the target of a reference. `$dynamicRef` and `$ref` have the same target here. They could differ only
 * between schemas with different `$id`, and there is at most one `$id`.
 */
function targetOf(
  reference: string,
  within: {
    byPointer: ReadonlyMap<string, Place>;
    anchors: ReadonlyMap<string, unknown>;
    id: string | null;
  },
): { readonly part: unknown } | null {
  const own = within.id?.replace(/#$/, '') ?? '';
  const local = own !== '' && reference.startsWith(own) ? reference.slice(own.length) : reference;
  if (local === '' && reference !== '') return within.byPointer.get('') ?? null;
  if (!local.startsWith('#')) return null;
  const fragment = decoded(local.slice(1));
  if (fragment === null) return null;
  if (fragment === '' || fragment.startsWith('/')) return within.byPointer.get(fragment) ?? null;
  return within.anchors.has(fragment) ? { part: within.anchors.get(fragment) } : null;
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}
