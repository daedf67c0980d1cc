/** The finders of personal data and profane words, which are loaded when the first answer must be filtered. */
import type { Mandate } from '@mandate/policy';
import type { ContentFinders } from '@mandate/policy/governance';
import type { Action } from '@mandate/schemas';

/** Finders that must be loaded before an answer is decided under a mandate that filters answers. */
export type LateFinders = ContentFinders & {
  /**
   * Loads the finders if the mandate filters this action. They are large, and most agents never need them. Null: this
   * action needs nothing more.
   */
  readyFor(action: Action, mandateOf: () => Mandate | null): Promise<void> | null;
};

/**
 * Loads the finders of personal data and profane words in answers. `evaluate` needs them for mandates that filter
 * answers. They are large, so the SDK loads them only when they are needed.
 */
export async function loadContentFinders(): Promise<ContentFinders> {
  return (await import('@mandate/privacy/content-finders')).contentFinders;
}

export function lateFinders(): LateFinders {
  let loaded: ContentFinders | null = null;
  const finders = () => {
    if (loaded === null) throw new Error('the finders of content are not loaded');
    return loaded;
  };
  return {
    readyFor({ type }, mandateOf) {
      if (type !== 'output' || loaded !== null || !filters(mandateOf())) return null;
      return loadContentFinders().then((found) => {
        loaded = found;
      });
    },
    personalData: (types) => finders().personalData(types),
    profanity: (text, stepBudget) => finders().profanity(text, stepBudget),
  };
}

function filters(mandate: Mandate | null): boolean {
  return mandate?.policies.some(({ governance }) => (governance?.output.filters.length ?? 0) > 0) === true;
}
