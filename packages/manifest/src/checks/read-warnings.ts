/** Warns of intents that read another intent's stores, and of reads without a limit or without isolation. */
import type { ManifestDocument, PermissionsDocument } from '@mandate/schemas/manifest';
import { type Found, found } from '../fault.ts';

const READ = ['memory_policies', 'read'];

export function readWarnings(
  { memory_policies }: PermissionsDocument,
  { intents, memory }: ManifestDocument,
): Found[] {
  const read = memory_policies?.read;
  if (read === undefined) return [];
  const { intent_mapping: mapping = {}, max_results: limits = {} } = read;
  const stores = new Set(memory?.stores?.map(({ id }) => id));
  const mapped = new Set(Object.values(mapping).flat());
  return [
    ...(read.user_isolation
      ? []
      : [
          found(
            'USER_ISOLATION_OFF',
            [...READ, 'user_isolation'],
            'is false, so each person reads the data of all: remove it, unless the data belongs to nobody',
          ),
        ]),
    ...[...new Set(intents.map(({ id }) => id))]
      .filter((id) => !Object.hasOwn(mapping, id))
      .map((id) =>
        found(
          'INTENT_WITHOUT_STORES',
          [...READ, 'intent_mapping', id],
          'is missing, so the intent reads the stores of the fallback: add it; an empty list reads nothing',
        ),
      ),
    ...[...mapped]
      .filter((store) => stores.has(store) && !Object.hasOwn(limits, store))
      .map((store) =>
        found(
          'STORE_WITHOUT_LIMIT',
          [...READ, 'max_results', store],
          'is missing, so a read of this store has no limit: add it',
        ),
      ),
  ];
}
