/** /v1/policies: policies with names. Each policy has a history of versions that never change. */

import type { TenantControl } from '@mandate/control';
import { compilePolicy } from '@mandate/policy';
import { CAPS, count, described, id, type PolicyDocument, policyDocument } from '@mandate/schemas';
import { callerOf, type HttpReply, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { type Asked, carryOut } from '../writes/carry-out.ts';
import { dryRunOf } from '../writes/dry-run.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { categoryPolicy, categoryPolicyOf } from './category-policy.ts';
import { mustCompile } from './must-compile.ts';
import { pageOf, pagesById } from './pages.ts';
import {
  IN_THE_WAY,
  idParams,
  limit,
  MAY_READ,
  MAY_WRITE,
  mustBeNamed,
  NOT_THERE,
  revision,
  whyQuery,
} from './shapes.ts';
import { lint, lintOf } from './show-lint.ts';
import { containsText, textQuery } from './text-filter.ts';
import { widens } from './widens.ts';
import { wouldChange } from './would-change.ts';

const tags = ['policies'];
const version = described(z.int().min(1), 'The version of the policy, from 1. A version never changes.', 3);
const shown = z.object({
  revision,
  version,
  isArchived: described(
    z.boolean(),
    'Whether the policy is archived. Rules cannot use it until it is published again, and rules that name it block.',
    false,
  ),
  policy: described(policyDocument, 'The policy.'),
});
export type PolicyShown = z.output<typeof shown>;

const published = shown.extend({
  widens,
  lint,
});
export type PolicyPublished = z.output<typeof published>;

const pages = pagesById('policies', shown);
const versionsCursor = pageCursor('versions', z.tuple([count]));
const body = policyDocument.meta({
  examples: [{ version: 1, id: 'read-only', allowedTools: ['read_*'], maxCostTotal: 5 }],
});

type History = ReturnType<TenantControl['policies']['get']> & object;

function shownOf(
  { revision, versions, isArchived }: History,
  number = versions.length,
): z.output<typeof shown> | null {
  const kept = versions[number - 1];
  return kept === undefined ? null : { revision, version: number, isArchived, policy: kept.document };
}

export function readPolicies(server: HttpServer, { followed }: Control): void {
  const policiesOf = (request: Parameters<typeof callerOf>[0]) =>
    followed.tenant(callerOf(request).tenant).policies;

  function historyOf(request: Parameters<typeof callerOf>[0], policyId: string): History {
    const history = policiesOf(request).get(policyId);
    if (history === undefined) throw notFound('policy', policyId);
    return history;
  }

  server.get(
    '/v1/policies',
    {
      config: { scope: MAY_READ },
      schema: {
        tags,
        summary: 'List the latest version of each policy, by id',
        querystring: pages.querystring.extend({ q: textQuery('policies of which the id') }),
        response: { 200: pages.response },
      },
    },
    (request) => {
      const contains = containsText(request.query.q);
      const found = new Map([...policiesOf(request)].filter(([id]) => contains(id)));
      return pages.page(found, request.query, (history) => shownOf(history) as z.output<typeof shown>);
    },
  );

  server.get(
    '/v1/policies/:id',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'Show one policy',
        params: idParams,
        querystring: z.strictObject({
          version: described(
            z.coerce.number().pipe(version).optional(),
            'The version to return. Default: the latest.',
            3,
          ),
        }),
        response: { 200: shown },
      },
    },
    (request, reply) => {
      const { id } = request.params;
      const found = shownOf(historyOf(request, id), request.query.version);
      if (found === null) throw notFound('policy', `${id}@${request.query.version}`);
      reply.header('etag', etagOf(found.revision));
      return found;
    },
  );

  server.get(
    '/v1/policies/:id/categories',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'Show what may be done in a category of memories',
        description: 'Each field names the category that sets it.',
        params: idParams,
        querystring: z.strictObject({
          store: described(id, 'The store.', 'notes'),
          category: described(
            z.string().max(CAPS.idUnits).default('/'),
            'The category. A category that the policy does not name has the policy of the next one above it. Default: the store as a whole.',
            '/standup/pinned',
          ),
          version: described(
            z.coerce.number().pipe(version).optional(),
            'The version of the policy. Default: the latest.',
            3,
          ),
        }),
        response: { 200: categoryPolicy.extend({ version }) },
      },
    },
    (request) => {
      const { params, query } = request;
      const found = shownOf(historyOf(request, params.id), query.version);
      if (found === null) throw notFound('policy', `${params.id}@${query.version}`);
      const of = categoryPolicyOf(found.policy, query.store, query.category);
      if (of === null) throw notFound('store', query.store);
      return { version: found.version, ...of };
    },
  );

  server.get(
    '/v1/policies/:id/versions',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'List the versions of a policy, the newest first',
        params: idParams,
        querystring: z.strictObject({ limit, cursor: versionsCursor.parameter }),
        response: {
          200: z.object({
            versions: described(
              z.array(
                z.object({
                  version,
                  revision,
                  policy: described(policyDocument, 'The policy in this version.'),
                }),
              ),
              'The versions, the newest first.',
            ),
            next: nextCursor,
          }),
        },
      },
    },
    (request) => {
      const { limit: most, cursor } = request.query;
      const { versions } = historyOf(request, request.params.id);
      const end = Math.min(versions.length, (cursor?.[0] ?? versions.length + 1) - 1);
      const from = Math.max(0, end - most);
      const newestFirst = versions
        .slice(from, end)
        .map(({ revision, document }, at) => ({ revision, policy: document, version: from + at + 1 }))
        .reverse();
      const { page, limit } = pageOf(newestFirst, most);
      return { versions: page, next: versionsCursor.next(page, limit, ({ version }) => [version]) };
    },
  );
}

export function writePolicies(server: HttpServer, control: Control): void {
  const latestOf = (request: Parameters<typeof callerOf>[0], policyId: string) =>
    control.followed.tenant(callerOf(request).tenant).policies.get(policyId);
  const lintAbout = (request: Parameters<typeof callerOf>[0], id: string) =>
    lintOf(control, request, { kind: 'policy', id });
  const publish = async (request: Asked, reply: HttpReply, policy: PolicyDocument) => {
    const what = { event: 'policy.published' as const, policy };
    const dry = await dryRunOf(control, request, what);
    if (dry !== null) return dry;
    const { revision, widens } = await carryOut(control, request, reply, what);
    const lint = await lintAbout(request, policy.id);
    return { ...publishedAs(latestOf(request, policy.id), revision), widens, lint };
  };

  server.post(
    '/v1/policies',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Publish a new policy, as version 1',
        querystring: whyQuery,
        body,
        response: { 200: wouldChange, 201: published },
      },
    },
    async (request, reply) => {
      const policy = request.body;
      mustCompile(compilePolicy(policy, policy.id));
      const what = { event: 'policy.published' as const, policy };
      const dry = await dryRunOf(control, request, what, { expects: 0 });
      if (dry !== null) return dry;
      const { revision, widens } = await carryOut(control, request, reply, what, { expects: 0 });
      reply.code(201).header('location', `/v1/policies/${encodeURIComponent(policy.id)}`);
      return {
        revision,
        version: 1,
        isArchived: false,
        policy,
        widens,
        lint: await lintAbout(request, policy.id),
      };
    },
  );

  server.put(
    '/v1/policies/:id',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Publish a new version. Rules that name no version use it from then on',
        params: idParams,
        querystring: whyQuery,
        body,
        response: { 200: z.union([wouldChange, published]) },
      },
    },
    async (request, reply) => {
      const policy = request.body;
      mustBeNamed(request.params.id, policy);
      mustCompile(compilePolicy(policy, policy.id));
      return publish(request, reply, policy);
    },
  );

  server.post(
    '/v1/policies/:id/rollback',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Publish an earlier version once more, as the latest',
        params: idParams,
        querystring: whyQuery,
        body: z
          .strictObject({ version: described(version, 'The version to publish again.', 2) })
          .meta({ examples: [{ version: 1 }] }),
        response: { 200: z.union([wouldChange, published]) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const policy = latestOf(request, id)?.versions[request.body.version - 1]?.document;
      if (policy === undefined) throw notFound('policy', `${id}@${request.body.version}`);
      return publish(request, reply, policy);
    },
  );

  server.delete(
    '/v1/policies/:id',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Archive a policy: it can still be read, and no rule can use it',
        description:
          'The request is refused if a rule names the policy. With `forced=true`, the policy is archived, and these rules block every action that they match.',
        params: idParams,
        querystring: whyQuery.extend({
          forced: described(
            z.enum(['true', 'false']).default('false'),
            'Whether to archive the policy although rules name it. These rules then block.',
            'true',
          ),
        }),
        response: { 200: z.union([wouldChange, z.object({ revision, lint })]) },
      },
    },
    async (request, reply) => {
      const { id: policyId } = request.params;
      const forced = request.query.forced === 'true';
      const what = { event: 'policy.archived' as const, policyId, forced };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const { revision } = await carryOut(control, request, reply, what);
      return { revision, lint: await lintAbout(request, policyId) };
    },
  );
}

/**
 * Returns the version that this change published. It may not be the latest version, because a later change may have
 * published another one.
 */
function publishedAs(history: History | undefined, revision: number): z.output<typeof shown> {
  const at = history?.versions.findLastIndex((kept) => kept.revision === revision) ?? -1;
  const found = history && shownOf(history, at + 1);
  if (found) return { ...found, revision };
  throw new TypeError('a policy that was published is not to be found');
}
