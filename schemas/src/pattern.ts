/** A pattern in a document or of a key. `*` matches any text, and every other character matches itself. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { nameFault } from './name-fault.ts';
import { NAME_PATTERN } from './scalars.ts';

/**
 * A pattern. It is refused if no name can match it, because a list that denies such a pattern would only seem to deny
 * something.
 */
export const pattern = z
  .string()
  .min(1)
  .max(CAPS.idUnits)
  .refine((text) => patternFault(text) === null, {
    error: ({ input }) => patternFault(String(input)) ?? undefined,
  })
  .meta({ pattern: NAME_PATTERN })
  .describe('A pattern of names: `*` matches any text, and every other character matches itself.');

export const patterns = z.array(pattern).max(CAPS.globs);

/** Returns what is wrong, in words that follow the field's name. Null if nothing is wrong. */
export function patternFault(text: string): string | null {
  const fault = nameFault(text);
  return fault === null ? null : `${fault}, so this matches nothing${hint(text)}`;
}

const BLANKS = /[\p{White_Space}\p{Z}]+/u;
const BETWEEN_ENTRIES = /\s*[,;|]\s*|[\p{White_Space}\p{Z}]+/u;

/**
 * Returns advice for a text with blanks: the pattern or the list that was probably meant. Empty if the text has no
 * blanks.
 */
function hint(text: string): string {
  if (!BLANKS.test(text)) return '';
  const entries = text.split(BETWEEN_ENTRIES).filter((entry) => entry !== '' && nameFault(entry) === null);
  const [only] = entries;
  if (only === undefined) return '';
  if (entries.length === 1) return `: write ${JSON.stringify(only)}`;
  return `: write a list with an entry for each of ${entries
    .slice(0, MOST_SHOWN)
    .map((entry) => JSON.stringify(entry))
    .join(', ')}`;
}

const MOST_SHOWN = 5;
