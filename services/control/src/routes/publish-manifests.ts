/** Publishes agent manifests, publishes earlier versions again, and removes manifests. */
import { described, id } from '@mandate/schemas';
import { callerOf, type HttpReply, type HttpRequest, type HttpServer, takeRawBody } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { PUBLISH_BYTES, publishBody, rollbackBody } from '../manifests/publish-body.ts';
import type { ControlJob } from '../thread/control-jobs.ts';
import { type Asked, carryOut, carryOutWritten, changeOf } from '../writes/carry-out.ts';
import { dryRunOf } from '../writes/dry-run.ts';
import { expectedRevision } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { published } from './manifest-shapes.ts';
import { IN_THE_WAY, idParams, MAY_WRITE, NOT_THERE, revision, sendJson, whyQuery } from './shapes.ts';
import { wouldChange } from './would-change.ts';

const tags = ['manifests'];

const REFUSED = {
  422: 'The manifest has faults (MANIFEST_INVALID, `faults`), or the gate of the plane forbids it (GATE_VIOLATED, `violations`), or the work takes too long.',
};

type AskedToPublish = HttpRequest<{ Querystring: z.output<typeof whyQuery> }>;

/** The field of a prepared publication that the event loop needs. The control thread wrote it. */
const prepared = z.object({ id });

export function writeManifests(server: HttpServer, control: Control): void {
  const { followed, apart } = control;

  /** Prepares the change in the control thread, compares it with the latest version, and writes it. */
  async function publish(
    request: AskedToPublish,
    reply: HttpReply,
    jobOf: (change: ReturnType<typeof changeOf>) => ControlJob,
  ): Promise<HttpReply> {
    const { tenant } = callerOf(request);
    const expects = expectedRevision(request);
    const change = changeOf(control, request, { expects });
    const { text, written } = await apart.prepare(request, jobOf(change));
    if (written === undefined) throw new TypeError('the job of a publication prepares a change');
    const about = prepared.parse(JSON.parse(text));
    const since = latestOf(tenant, about.id);
    const before = since === null ? null : await followed.manifests.recordOf(tenant, about.id, since);
    const diff = before === null ? NOTHING_CHANGED : await compared(request, before, written.value);
    const answer = (made: object) =>
      sendJson(reply, JSON.stringify({ ...JSON.parse(text), ...diff, since, ...made }));
    if (request.query.dryRun) {
      const { revision = 0 } = followed.tenant(tenant).manifests.get(about.id) ?? {};
      return answer({ isPublished: false, revision });
    }
    const { revision, isRepeat } = await carryOutWritten(control, reply, { ...written, expects });
    const version = versionAt(tenant, about.id, revision);
    reply.code(201).header('location', `/v1/manifests/${encodeURIComponent(about.id)}`);
    return answer({ isPublished: true, revision, version, ...(isRepeat && { widens: null }) });
  }

  /** Returns the latest version. Null if there is none that is in force. */
  function latestOf(tenant: string, manifestId: string): number | null {
    const history = followed.tenant(tenant).manifests.get(manifestId);
    return history === undefined || history.isRemoved ? null : history.versions.length;
  }

  /** Returns the number of the version that a change made. A later change may have made another version. */
  function versionAt(tenant: string, manifestId: string, revision: number): number {
    const { versions = [] } = followed.tenant(tenant).manifests.get(manifestId) ?? {};
    return versions.findLastIndex((kept) => kept.revision === revision) + 1;
  }

  async function compared(request: Asked, from: Uint8Array, to: Uint8Array) {
    const { tenant } = callerOf(request);
    const job = { kind: 'compare manifests' as const, tenant, atMs: control.clock(), from, to };
    const { changes, highest } = JSON.parse(await apart.answer(request, job));
    return { changes, highest };
  }

  server.post(
    '/v1/manifests',
    {
      bodyLimit: PUBLISH_BYTES,
      config: { scope: MAY_WRITE, rawJson: true, refusals: { ...IN_THE_WAY, ...REFUSED } },
      schema: {
        tags,
        summary: 'Publish an agent manifest: it and its agents, policies and rules take effect together',
        description:
          'The manifest is checked, compiled and compared with its latest version. Documents that only the version before ' +
          'had are removed. An agent, a policy or a rule that exists and does not belong to the manifest is never taken ' +
          'over. `dryRun=true` does all of this and publishes nothing.',
        querystring: whyQuery,
        body: publishBody,
        response: { 200: published, 201: published },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const body = new Uint8Array(takeRawBody(request));
      const common = {
        kind: 'publish manifest' as const,
        tenant,
        atMs: control.clock(),
        gate: control.gate(),
      };
      return publish(request, reply, (change) => ({ ...common, body, change }));
    },
  );

  server.post(
    '/v1/manifests/:id/rollback',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY, ...REFUSED } },
      schema: {
        tags,
        summary: 'Publish an earlier version once more, as the latest',
        description:
          'The agents, policies and rules become as they were in that version. The gate of the plane is asked again.',
        params: idParams,
        querystring: whyQuery,
        body: rollbackBody,
        response: { 200: published, 201: published },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const { id: manifestId } = request.params;
      const { version } = request.body;
      const value = await followed.manifests.recordOf(tenant, manifestId, version);
      if (value === null) throw notFound('manifest', `${manifestId}@${version}`);
      const common = {
        kind: 'roll back manifest' as const,
        tenant,
        atMs: control.clock(),
        gate: control.gate(),
      };
      return publish(request, reply, (change) => ({ ...common, value, change }));
    },
  );

  server.delete(
    '/v1/manifests/:id',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Remove an agent manifest: its agents are retired, its policies archived, its rules removed',
        description:
          'Its versions can still be read, and it can be published again. The request is refused if another rule names ' +
          'one of its policies. With `forced=true` it is removed, and these rules block every action that they match.',
        params: idParams,
        querystring: whyQuery.extend({
          forced: described(
            z.enum(['true', 'false']).default('false'),
            'Whether to remove it although other rules name its policies. These rules then block.',
            'true',
          ),
        }),
        response: { 200: z.union([wouldChange, z.object({ revision })]) },
      },
    },
    async (request, reply) => {
      const { id: manifestId } = request.params;
      const forced = request.query.forced === 'true';
      const what = { event: 'manifest.removed' as const, manifestId, forced };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const { revision } = await carryOut(control, request, reply, what);
      return { revision };
    },
  );
}

const NOTHING_CHANGED = { changes: [], highest: null };
