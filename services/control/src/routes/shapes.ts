/** What several routes take and give. */

import { CAPS, count, id, time } from '@mandate/schemas';
import { HttpProblem, type HttpReply } from '@mandate/server';
import { z } from 'zod';

export const MAY_READ = ['audit', 'author'] as const;
export const MAY_WRITE = 'author';

export const idParams = z.object({ id });

const reason = z.string().trim().min(1).max(500).optional();

/** The query of every write. */
export const whyQuery = z.strictObject({ reason: reason.describe('Why: it stands in the record for ever.') });

/** For how long a key that is issued lets in; null: it does not expire. What absent means each route says. */
export const expiresInMs = z.int().min(1_000).max(CAPS.keyMs).nullable();

export const expiresAt = time
  .nullable()
  .describe('From then on it lets nobody in; null: it does not expire.');

export const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000)
  .default(100)
  .describe('At most so many, 1 to 1,000.');

export const revision = count.describe(
  'Its ETag, without the quotes: send that in If-Match to change what you have seen.',
);

/** What is refused beside what every route refuses. */
export const NOT_THERE = { 404: 'There is none of that id.' };
export const IN_THE_WAY = {
  409: 'It would not stand, or is not as you have seen it (If-Match): `code` tells which, `revision` what stands.',
};

/** The answers of routes that work in a thread apart. */
export const TAKES_LONG = { 422: 'It takes too long to find out: ask of less.' };

/** JSON that is written already: a value would be checked by the schema of the answer, and written. */
export function sendJson(reply: HttpReply, text: string): HttpReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

/** A document says its own id, and that is the one in the path. */
export function mustBeNamed(id: string, document: { id: string }): void {
  if (document.id === id) return;
  throw new HttpProblem(
    400,
    'ID_DIFFERS',
    `the document is of "${document.id}", and the path names "${id}"`,
    {
      remedy: 'Send both the same.',
    },
  );
}
