/** Schemas and answers that several routes share. */

import { CAPS, count, described, id, time } from '@mandate/schemas';
import { HttpProblem, type HttpReply } from '@mandate/server';
import { z } from 'zod';

export const MAY_READ = ['audit', 'author'] as const;
export const MAY_WRITE = 'author';

export const idParams = z.object({
  id: described(id, 'The id of the document or key in the path.', 'airline-007'),
});

const reason = z.string().trim().min(1).max(500).optional();

const dryRun = described(
  z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  'Whether only to say what would change. The request is checked like a change, and nothing is changed or recorded.',
  'true',
);

/** The query parameters of every write. */
export const whyQuery = z.strictObject({
  dryRun,
  reason: described(reason, 'Why you change it. The record always keeps it.', 'the contract of January'),
});

/**
 * How long a new key is valid, in milliseconds. Null if the key does not expire. Each route describes its own
 * default.
 */
export const expiresInMs = z.int().min(1_000).max(CAPS.keyMs).nullable();

export const expiresAt = described(
  time.nullable(),
  'The key is refused from this time on. null: it does not expire.',
  '2026-04-05T09:30:00.000Z',
);

export const limit = described(
  z.coerce.number().int().min(1).max(1_000).default(100),
  'How many to return at most.',
  20,
);

export const revision = described(
  count,
  'The revision of the last change. It equals the ETag without its quotes. Send it in If-Match, so that the ' +
    'change is refused if the document changed meanwhile.',
  42,
);

/** The additional refusal of routes with an id. The refusals that every route has are added elsewhere. */
export const NOT_THERE = { 404: 'Nothing with this id exists.' };
export const IN_THE_WAY = {
  409: 'The change is not possible now, or the document changed after you read it (If-Match). `code` names the reason, and `revision` is the current revision.',
};

/** The additional refusal of routes that work in the control thread. */
export const TAKES_LONG = { 422: 'The answer takes too long to compute. Send fewer or simpler documents.' };

/**
 * Sends a text that is already JSON. If a value were sent instead, it would be checked against the schema of the
 * answer and serialized again.
 */
export function sendJson(reply: HttpReply, text: string): HttpReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

/** Throws if the id in the document differs from the id in the path. */
export function mustBeNamed(id: string, document: { id: string }): void {
  if (document.id === id) return;
  throw new HttpProblem(
    400,
    'ID_DIFFERS',
    `the document has the id "${document.id}", but the path names "${id}"`,
    {
      remedy: 'Send the same id in both places.',
    },
  );
}
