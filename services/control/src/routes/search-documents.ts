/** GET /v1/search: agents, policies, rules and keys by a part of their id or name, for a person who types. */
import { described, id, ROLE_NAMES } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { MAY_READ } from './shapes.ts';
import { SEARCH_UNITS } from './text-filter.ts';

/** The search stops after this many matches in a list. The matches so far are ranked. */
const MOST_RANKED = 1_000;

const name = described(z.string().nullable(), 'Its name for people. null: it has none.', 'Airline 007');
const answer = z.object({
  agents: described(
    z.array(z.object({ id: described(id, 'The agent.', 'airline-007'), name })),
    'The agents.',
  ),
  policies: described(
    z.array(
      z.object({
        id: described(id, 'The policy.', 'read-only'),
        isArchived: described(z.boolean(), 'Whether the policy is archived.', false),
      }),
    ),
    'The policies.',
  ),
  rules: described(
    z.array(
      z.object({
        id: described(id, 'The rule.', 'support-reads'),
        policy: described(z.string(), 'The policy that it gives.', 'read-only'),
      }),
    ),
    'The rules.',
  ),
  keys: described(
    z.array(
      z.object({
        id: described(id, 'The public id of the key.', '1bC2dE3fG4hI'),
        name: described(z.string(), 'The person or the service that has the key.', 'ann'),
        role: described(z.enum(ROLE_NAMES), 'The role of the key.'),
      }),
    ),
    'The keys of people. Empty if the key of the request lacks the scope `admin`.',
  ),
});

/** The body of the answer. */
export type DocumentsFound = z.output<typeof answer>;

export function searchDocuments(server: HttpServer, { followed }: Control): void {
  server.get(
    '/v1/search',
    {
      config: { scope: [...MAY_READ, 'admin'] },
      schema: {
        tags: ['agents'],
        summary: 'Find agents, policies, rules and keys by a part of their id or name',
        description:
          'Documents with exactly this id come first, then those that begin with the text, then those that contain it. ' +
          'Each list has at most `limit` entries. `GET /v1/audit/search` finds decisions and actions.',
        querystring: z.strictObject({
          q: described(z.string().min(1).max(SEARCH_UNITS), 'The text. Case does not matter.', 'air'),
          limit: described(
            z.coerce.number().int().min(1).max(50).default(10),
            'How many entries each list has at most.',
            10,
          ),
        }),
        response: { 200: answer },
      },
    },
    (request) => {
      const { tenant, scopes } = callerOf(request);
      const { agents, policies, rules, roleKeys } = followed.tenant(tenant);
      const { q, limit } = request.query;
      const reads = MAY_READ.some((scope) => scopes.includes(scope));
      const find = <Kept>(
        may: boolean,
        all: ReadonlyMap<string, Kept>,
        nameOf: (kept: Kept) => string | undefined,
      ) => (may ? ranked(all, q, nameOf).slice(0, limit) : []);
      return {
        agents: find(reads, agents, ({ document }) => document.name).map(([id, { document }]) => ({
          id,
          name: document.name ?? null,
        })),
        policies: find(reads, policies, () => undefined).map(([id, { isArchived }]) => ({ id, isArchived })),
        rules: find(reads, rules, () => undefined).map(([id, { document }]) => ({
          id,
          policy: document.policy,
        })),
        keys: find(scopes.includes('admin'), roleKeys, ({ document }) => document.key.name).map(
          ([id, { document }]) => ({ id, name: document.key.name, role: document.role }),
        ),
      };
    },
  );
}

/** Returns the entries with the text in their id or name, the best first. */
function ranked<Kept>(
  all: ReadonlyMap<string, Kept>,
  text: string,
  nameOf: (kept: Kept) => string | undefined,
): (readonly [string, Kept])[] {
  const asked = text.toLowerCase();
  const exact = all.get(text);
  const found: { rank: number; id: string; kept: Kept }[] =
    exact === undefined ? [] : [{ rank: 0, id: text, kept: exact }];
  for (const [id, kept] of all) {
    if (id === text) continue;
    const rank = Math.min(rankOf(id, asked), rankOf(nameOf(kept), asked));
    if (rank < NOT_FOUND) found.push({ rank, id, kept });
    if (found.length === MOST_RANKED) break;
  }
  found.sort((one, other) => one.rank - other.rank || (one.id < other.id ? -1 : 1));
  return found.map(({ id, kept }) => [id, kept] as const);
}

const NOT_FOUND = 3;

function rankOf(text: string | undefined, asked: string): number {
  const at = text?.toLowerCase().indexOf(asked) ?? -1;
  return at === -1 ? NOT_FOUND : at === 0 ? 1 : 2;
}
