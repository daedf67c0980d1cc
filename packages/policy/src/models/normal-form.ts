/** The form in which records name models and providers, and in which conditions, filters and analytics compare them. */
import { foldedName, providerNamed } from './known-providers.ts';
import { readModelName } from './model-name.ts';

/** `gpt-4o-2024-08-06` of `openrouter/OpenAI/gpt-4o-2024-08-06`. */
export function normalModel(text: string): string {
  return readModelName(text).model;
}

/** `azure` for `Azure_OpenAI`. For a name that Mandate does not know, only the spelling changes. */
export function normalProvider(text: string): string {
  const name = foldedName(text);
  return providerNamed(name)?.id ?? name;
}
