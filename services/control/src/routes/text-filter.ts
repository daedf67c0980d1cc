/** Filters of lists of documents by a text that a person types. */
import { described } from '@mandate/schemas';
import { z } from 'zod';

/** The longest text of a search. */
export const SEARCH_UNITS = 200;

export const textQuery = (what: string) =>
  described(
    z.string().min(1).max(SEARCH_UNITS).optional(),
    `Only ${what} contains this text. Case does not matter.`,
    'air',
  );

/** Returns a function that finds the text in any of some texts. Without a text, it finds everything. */
export function containsText(
  text: string | undefined,
): (...texts: readonly (string | undefined)[]) => boolean {
  if (text === undefined) return () => true;
  const asked = text.toLowerCase();
  return (...texts) => texts.some((one) => one?.toLowerCase().includes(asked));
}
