/** Converts the names of models. */
import { nameFault } from '@mandate/schemas/core';
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';

const LONGEST = 200;

/**
 * Returns the name of a model. Returns null and warns for a display name such as `Claude Sonnet 4`, which no provider
 * accepts.
 */
export function modelNamed(model: string | null, fields: ImportFields, field: string): string | null {
  if (model === null) return null;
  const isName = model.length <= LONGEST && !model.includes('*') && nameFault(model) === null;
  if (isName) return model;
  const message = `${quoted(model)} is no name of a model: write the name that the provider gives it`;
  fields.notes.warn('FIELD_NOT_TAKEN', fields.file, fields.at(field), message);
  return null;
}
