/**
 * The end of a page, as a text that callers send back unchanged. The page key is a position in the order and not a
 * number of rows. So pages neither repeat nor skip a row while rows are added. A cursor is valid for one list only.
 */
import { described } from '@mandate/schemas';
import { z } from 'zod';

const VERSION = 1;

export type PageCursor<Key extends readonly (string | number)[]> = {
  /** The query parameter. It converts a cursor of this list to the key of the last row of a page. */
  parameter: z.ZodOptional<z.ZodPipe<z.ZodString, z.ZodTransform<Key, string>>>;
  /** Returns the cursor of the next page. Null after the last page. */
  next<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => Key): string | null;
};

export function pageCursor<Key extends readonly (string | number)[]>(
  list: string,
  key: z.ZodType<Key>,
): PageCursor<Key> {
  const whole = z.tuple([z.literal(VERSION), z.literal(list), key]);
  return {
    parameter: described(
      z
        .string()
        .max(1_000)
        .transform((text, context) => {
          const read = whole.safeParse(decoded(text));
          if (read.success) return read.data[2];
          context.addIssue('is not a cursor of this list: send the `next` of the previous page unchanged');
          return z.NEVER;
        })
        .optional(),
      'The `next` of the previous page, unchanged.',
      'WzEsInBvbGljaWVzIixbInJlYWQtb25seSJdXQ',
    ),
    next(rows, limit, keyOf) {
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return null;
      return Buffer.from(JSON.stringify([VERSION, list, keyOf(last)])).toString('base64url');
    },
  };
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

export const nextCursor = described(
  z.string().nullable(),
  'Give it as `cursor` to get the next page. null: this is the last page.',
  'WzEsInBvbGljaWVzIixbInJlYWQtb25seSJdXQ',
);
