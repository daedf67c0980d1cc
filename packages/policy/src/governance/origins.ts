import type { Origin } from '@mandate/schemas';

/**
 * True if a model chose the field.
 *
 * @param unsaid who chose it if the action does not say: the model for choices, the system for facts of a store
 */
export function isOfModel(
  { origins = {} }: { readonly origins?: Readonly<Record<string, Origin>> | undefined },
  field: string,
  unsaid: Origin,
): boolean {
  return (Object.hasOwn(origins, field) ? origins[field] : unsaid) === 'model';
}
