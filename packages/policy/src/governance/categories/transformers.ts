/** Transformers of changes of memory. Each gets what the last one made. They refuse nothing, and know no operation. */
import type { PlannedChange } from '@mandate/schemas';
import type { Place } from './validators.ts';

export type Transformer = (planned: PlannedChange) => PlannedChange;

export function transformed(transformers: readonly Transformer[]): PlannedChange {
  return transformers.reduce<PlannedChange>((planned, transform) => transform(planned), {});
}

/**
 * Limits the life of a memory to the ceiling of its category.
 *
 * @param asked when the memory should expire; null: never
 * @param from the time from which the ceiling counts: the creation of the memory, or `now`
 */
export function withCeiling(
  { path, effective }: Place,
  { asked, from }: { asked: string | null; from: string },
): Transformer {
  const maxDays = effective.defaultTtl.value;
  const ceilings = maxDays === null ? [] : [{ category: path, maxDays, from }];
  return (planned) => ({ ...planned, expiry: { asked, ceilings } });
}

export function making(paths: readonly string[]): Transformer {
  return (planned) => (paths.length === 0 ? planned : { ...planned, creates: paths });
}

export function created(isNew: boolean): Transformer {
  return (planned) => ({ ...planned, created: isNew });
}

/** Trims a description. An empty one is taken away. */
export function describing(description: string): Transformer {
  return (planned) => ({ ...planned, description: description.trim() || null });
}

export function pruning(planned: PlannedChange): PlannedChange {
  return { ...planned, prunes: true };
}
