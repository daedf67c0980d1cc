/** Loads the categories of memories (`config.yaml`). */
import {
  type CategoriesDocument,
  type CategoriesSection,
  categoriesDocument,
} from '@mandate/schemas/manifest';
import { loosenings } from './checks/loosenings.ts';
import type { ManifestFault } from './fault.ts';
import { placeFaults } from './placed-faults.ts';
import { readFields } from './read-fields.ts';
import { readSource } from './source-file.ts';

type Source = Parameters<typeof readSource>[1];

export type LoadedCategories =
  | { ok: true; errors: readonly []; warnings: readonly ManifestFault[]; categories: CategoriesDocument }
  | { ok: false; errors: readonly ManifestFault[]; warnings: readonly [] };

const FILE = 'config.yaml';

/** @param source the bytes or the text of the file */
export function loadCategories(source: Source): LoadedCategories {
  const read = readSource(FILE, source, { what: 'categories', begins: 'stores:' });
  if (!read.ok) return { ok: false, errors: read.faults, warnings: [] };
  const { file } = read;
  const fields = readFields(
    file.value,
    { schema: categoriesDocument, textPatterns: [], argumentPatterns: [] },
    file.inexact,
  );
  if (!fields.ok) {
    const { errors } = placeFaults(fields.faults, () => file, 'strict');
    return { ok: false, errors, warnings: [] };
  }
  const { warnings } = placeFaults(loosenings(fields.document), () => file, 'strict');
  return { ok: true, errors: [], warnings, categories: fields.document };
}

/** Returns the section `governance.categories` of a policy: the document without the fields that change no decision. */
export function compileCategories({ stores }: CategoriesDocument): CategoriesSection {
  return Object.fromEntries(
    Object.entries(stores).map(([name, { policies, categories }]) => [
      name,
      { ...(policies !== undefined && { policies }), ...(categories !== undefined && { categories }) },
    ]),
  );
}
