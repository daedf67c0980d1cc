/**
 * The normal form of names of models and providers. Records use it, and conditions, filters and analytics compare it.
 */
import { foldedName, providerNamed } from './known-providers.ts';
import { readModelName } from './model-name.ts';

/** Returns the normal form of a model: `gpt-4o-2024-08-06` for `openrouter/OpenAI/gpt-4o-2024-08-06`. */
export function normalModel(text: string): string {
  return readModelName(text).model;
}

/**
 * Returns the normal form of a provider: `azure` for `Azure_OpenAI`. For an unknown name, only letter case and
 * separators change.
 */
export function normalProvider(text: string): string {
  const name = foldedName(text);
  return providerNamed(name)?.id ?? name;
}
