/** GET /v1/kills: the kill switches that are on now, from the ledger itself. */

import { type KillInForce, keyOfTarget } from '@mandate/ledger';
import { count, described, END_OF_TIME_MS, killTarget, time, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { type Gateway, ledgerOf } from '../gateway.ts';

const killInForce = z.object({
  target: described(killTarget, 'What is stopped.'),
  revision: described(count, 'The revision of the switch. Each kill and each revive raises it.', 4),
  commandId: described(
    z.string().nullable(),
    'The id of the command. `GET /v1/audit/kills/{id}` shows what could still run then. null: not known.',
    'kil_0mefd8h3c06b1f7c1c9be1d2a4f5',
  ),
  by: described(
    z.string().nullable(),
    'The person or the API key that killed. null: not known.',
    'key:ops-laptop',
  ),
  reason: described(z.string(), 'Why it was stopped.', 'runaway loop'),
  since: described(time, 'When the switch was pulled last. It is on until a revive.'),
  sequence: described(
    count.nullable(),
    'The ledger sequence of the tenant at the kill. Until a revive, no ALLOW of the target has a higher one. null: ' +
      'a kill of everything, whose record has the sequence of each tenant, or not known.',
    420,
  ),
});

/** The page key: the time of the kill, and the key of its target. */
const cursor = pageCursor(
  'kills in force',
  z.tuple([z.int().min(0).max(END_OF_TIME_MS), z.string().max(500)]),
);

export type KillShown = z.output<typeof killInForce>;

export function listKills(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/kills',
    {
      config: { scope: ['operate', 'audit'] },
      schema: {
        tags: ['kill switch'],
        summary: 'List the kill switches that are on now, newest first',
        description:
          'The list has the switches of the tenant, and the switch of everything. It comes from the ledger that ' +
          'decides, so it has no delay. A kill holds until a revive: it never expires. `GET /v1/audit/kills` also ' +
          'lists kills that a revive ended. The read is recorded before the answer is sent.',
        querystring: z.strictObject({
          limit: described(
            z.coerce.number().int().min(1).max(1_000).default(100),
            'How many kills to return at most.',
            20,
          ),
          cursor: cursor.parameter,
        }),
        response: {
          200: z.object({
            count: described(count, 'How many switches are on, on all pages together.', 1),
            kills: described(z.array(killInForce), 'The kills, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      await gateway.reads.recordRead(request);
      const { limit, cursor: pageKey } = request.query;
      const kills = await ledgerOf(gateway).killed(callerOf(request).tenant);
      const page = kills.filter((kill) => pageKey === undefined || isAfter(kill, pageKey)).slice(0, limit);
      return {
        count: kills.length,
        kills: page.map(shown),
        next: cursor.next(page, limit, ({ atMs, target }) => [atMs, keyOfTarget(target)]),
      };
    },
  );
}

/** True if the kill comes after the page key in the order of the ledger. */
function isAfter({ atMs, target }: KillInForce, [lastMs, lastKey]: [number, string]): boolean {
  return atMs < lastMs || (atMs === lastMs && keyOfTarget(target) > lastKey);
}

function shown({ target, revision, commandId, by, reason, atMs, sequence }: KillInForce) {
  return { target, revision, commandId, by, reason, since: wireTime(atMs), sequence };
}
