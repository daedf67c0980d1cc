/** /v1/manifests: the agent manifests that were published, with their versions. */
import type { ManifestHistory } from '@mandate/control';
import { count, described } from '@mandate/schemas';
import { callerOf, type HttpRequest, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { compared, listed, listedOf, shown, version } from './manifest-shapes.ts';
import { pageOf, pagesById } from './pages.ts';
import { idParams, limit, MAY_READ, NOT_THERE, sendJson, TAKES_LONG } from './shapes.ts';

const tags = ['manifests'];
const pages = pagesById('manifests', listed);
const versionsCursor = pageCursor('versions', z.tuple([count]));
const versionAsked = z.coerce.number().pipe(version);

export function readManifests(server: HttpServer, control: Control): void {
  const { followed } = control;
  const manifestsOf = (request: HttpRequest) => followed.tenant(callerOf(request).tenant).manifests;

  function historyOf(request: HttpRequest, manifestId: string): ManifestHistory {
    const history = manifestsOf(request).get(manifestId);
    if (history === undefined) throw notFound('manifest', manifestId);
    return history;
  }

  /**
   * Returns a version as JSON text. The manifest is already JSON, and may be large, so it is not parsed and written
   * again.
   */
  async function shownText(request: HttpRequest, manifestId: string, number?: number): Promise<string> {
    const history = historyOf(request, manifestId);
    const row = listedOf(history, manifestId, number);
    const found =
      row && (await followed.manifests.findVersion(callerOf(request).tenant, manifestId, row.version));
    if (row === null || found === null) throw notFound('manifest', `${manifestId}@${number}`);
    const { files, options, text } = found;
    const { agents, policies, rules } = history.owns;
    const rest = JSON.stringify({ ...row, files, agents, policies, rules });
    return `${rest.slice(0, -1)},"options":${options},"manifest":${text}}`;
  }

  server.get(
    '/v1/manifests',
    {
      config: { scope: MAY_READ },
      schema: {
        tags,
        summary: 'List the latest version of each agent manifest, by id',
        querystring: pages.querystring,
        response: { 200: pages.response },
      },
    },
    (request) =>
      pages.page(
        manifestsOf(request),
        request.query,
        (history, id) => listedOf(history, id) as z.output<typeof listed>,
      ),
  );

  server.get(
    '/v1/manifests/:id',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'Show an agent manifest in its latest version',
        params: idParams,
        response: { 200: shown },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      reply.header('etag', etagOf(historyOf(request, id).revision));
      return sendJson(reply, await shownText(request, id));
    },
  );

  server.get(
    '/v1/manifests/:id/versions',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'List the versions of an agent manifest, the newest first',
        params: idParams,
        querystring: z.strictObject({ limit, cursor: versionsCursor.parameter }),
        response: {
          200: z.object({
            versions: described(z.array(listed), 'The versions, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    (request) => {
      const { limit: most, cursor } = request.query;
      const { id } = request.params;
      const history = historyOf(request, id);
      const end = Math.min(history.versions.length, (cursor?.[0] ?? history.versions.length + 1) - 1);
      const numbers = Array.from({ length: Math.min(most, end) }, (_, at) => end - at);
      const { page, limit } = pageOf(
        numbers.flatMap((number) => listedOf(history, id, number) ?? []),
        most,
      );
      return { versions: page, next: versionsCursor.next(page, limit, ({ version }) => [version]) };
    },
  );

  server.get(
    '/v1/manifests/:id/versions/:version',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'Show one version of an agent manifest',
        description:
          'The versions of a removed manifest can still be read. Runs keep to the version with which they began.',
        params: idParams.extend({ version: described(versionAsked, 'The version to return.', 3) }),
        response: { 200: shown },
      },
    },
    async (request, reply) => {
      const { id, version } = request.params;
      return sendJson(reply, await shownText(request, id, version));
    },
  );

  server.get(
    '/v1/manifests/:id/diff',
    {
      config: { scope: MAY_READ, refusals: { ...NOT_THERE, ...TAKES_LONG } },
      schema: {
        tags,
        summary: 'Compare two versions of an agent manifest',
        params: idParams,
        querystring: z.strictObject({
          from: described(versionAsked, 'The version to compare with.', 2),
          to: described(versionAsked.optional(), 'The version that is compared. Default: the latest.', 3),
        }),
        response: {
          200: compared.extend({
            widens: described(z.boolean(), 'Whether one of the changes gives an agent more.', true),
          }),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { tenant } = callerOf(request);
      const { versions } = historyOf(request, id);
      const { from, to = versions.length } = request.query;
      const [old, now] = await Promise.all(
        [from, to].map(async (number) => {
          const record = await followed.manifests.recordOf(tenant, id, number);
          if (record === null) throw notFound('manifest', `${id}@${number}`);
          return record;
        }),
      );
      if (old === undefined || now === undefined) throw new TypeError('two versions were asked for');
      const job = { kind: 'compare manifests' as const, tenant, atMs: control.clock(), from: old, to: now };
      return sendJson(reply, await control.apart.answer(request, job));
    },
  );
}
