/** GET /v1/runs: the runs of a tenant, the newest first. */
import { described, id } from '@mandate/schemas';
import { callerOf, type HttpServer, pageCursor } from '@mandate/server';
import { z } from 'zod';
import type { Runner } from '../runner.ts';
import { type PlaceInList, placeInList } from '../runs/run-book.ts';
import { RUN_STATUSES, type ShownRun, shownOf, shownRun } from './run-shapes.ts';

const cursor = pageCursor('runs', z.tuple([z.string(), z.string()]));

export function listRuns(server: HttpServer, { runs }: Runner): void {
  server.get(
    '/v1/runs',
    {
      config: { scope: ['audit', 'operate'] },
      schema: {
        tags: ['runs'],
        summary: 'List runs, the newest first',
        description: 'The list has the newest 100,000 runs. The log has all runs.',
        querystring: z.strictObject({
          manifest: described(id.optional(), 'Only runs of this manifest.', 'research'),
          status: described(z.enum(RUN_STATUSES).optional(), 'Only runs with this status.', 'waiting'),
          limit: described(z.coerce.number().int().min(1).max(1_000).default(100), 'How many at most.', 20),
          cursor: cursor.parameter,
        }),
        response: {
          200: z.object({
            runs: described(z.array(shownRun), 'The runs, the newest first.'),
            next: described(
              z.string().nullable(),
              'Give it as `cursor` to get the next page. null: this is the last page.',
              'WzEsInJ1bnMiLFsxN11d',
            ),
          }),
        },
      },
    },
    (request) => {
      const { manifest, status, limit, cursor: after } = request.query;
      const { tenant } = callerOf(request);
      const found: { place: PlaceInList; run: ShownRun }[] = [];
      for (const run of runs.book.newestFirst(tenant, after ?? null)) {
        if (manifest !== undefined && run.started.manifest.id !== manifest) continue;
        const shown = shownOf(run);
        if (status !== undefined && shown.status !== status) continue;
        found.push({ place: placeInList(run), run: shown });
        if (found.length === limit) break;
      }
      return {
        runs: found.map(({ run }) => run),
        next: cursor.next(found, limit, ({ place: [at, id] }) => [at, id]),
      };
    },
  );
}
