/** The small schemas that the parts of an agent manifest share. */
import { z } from 'zod';
import { described } from './described.ts';
import { lengthInCharacters } from './manifest-fields.ts';
import { nameFault } from './name-fault.ts';

const MOST_CHARACTERS = 65_536;
const MOST_OF_A_NAME = 100;

/** A text of at least one character. A character is a Unicode code point. */
export function manifestText(most: number = MOST_CHARACTERS) {
  return anyText(most).min(1);
}

/** A text that may be empty. */
export function anyText(most: number = MOST_CHARACTERS) {
  return z
    .string()
    .refine((text) => text.length <= most || lengthInCharacters(text) <= most, {
      error: `must have at most ${most.toLocaleString('en')} characters`,
    })
    .meta({ maxLength: most });
}

/** A name that becomes part of ids: 1 to 100 printable characters, without blanks and without `*`. */
export const manifestName = z
  .string()
  .min(1)
  .refine((text) => text.length <= MOST_OF_A_NAME || lengthInCharacters(text) <= MOST_OF_A_NAME, {
    error: `must have at most ${MOST_OF_A_NAME} characters`,
  })
  .check(({ value, issues }) => {
    const message = nameFault(value);
    if (message !== null) issues.push({ code: 'custom', continue: true, input: value, message });
  })
  .refine((text) => !text.includes('*'), { error: 'must not contain *: in a pattern it means any text' })
  .meta({ maxLength: MOST_OF_A_NAME });

const NO_URI = {
  error: 'must be an address such as mcp://search.example.com, without blanks, backslashes and credentials',
};

/** An absolute URI: a scheme, `://` and more. It has no blank, no backslash and no credentials. */
export const uri = manifestText().refine(isUri, NO_URI);

/** A name of something, or a URI. */
export const nameOrUri = manifestText().refine((text) => !SCHEME.test(text) || isUri(text), NO_URI);

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//;

function isUri(text: string): boolean {
  const [, rest] = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(.+)$/s.exec(text) ?? [];
  if (rest === undefined || /[\s\\\p{C}\p{Z}]/u.test(text)) return false;
  const [authority = ''] = rest.split(/[/?#]/, 1);
  return !authority.includes('@');
}

export function number(least: number, most: number) {
  return z.number().min(least).max(most);
}

/** A map from names to any values. `@mandate/agent-manifest` checks what is in it. */
export const anyMap = z.record(z.string(), z.unknown());

const designDocument = z.strictObject({
  x: described(z.number().optional(), 'The position from the left.', 120),
  y: described(z.number().optional(), 'The position from the top.', 40),
  zoom: described(z.number().optional(), 'The scale of the drawing.', 1.25),
  icon: described(anyText().optional(), 'The name of an icon.', 'search'),
  color: described(anyText().optional(), 'A color.', '#4A90E2'),
  label: described(anyText().optional(), 'A label.', 'Search'),
  collapsed: described(z.boolean().optional(), 'True if the part is drawn small.', false),
});

/** How an editor draws the part. It is not part of the hash. */
export const design = described(
  designDocument.optional(),
  'How an editor draws this part. It changes no decision, and it is not part of the hash.',
);

/** A SHA-256 as 64 hexadecimal digits, with or without `sha256:` before them. */
export const sha256 = z
  .string()
  .regex(/^(sha256:)?[0-9a-fA-F]{64}$/, { error: 'must be a SHA-256: 64 hexadecimal digits' });
