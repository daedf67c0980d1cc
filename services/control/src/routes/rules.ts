/** /v1/rules: which policies apply to which agents, and when. */
import { compileRule } from '@mandate/policy';
import { CAPS, count, described, id, policyNamed, type RuleDocument, ruleDocument } from '@mandate/schemas';
import { callerOf, type HttpServer, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { carryOut } from '../writes/carry-out.ts';
import { dryRunOf } from '../writes/dry-run.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { mustCompile } from './must-compile.ts';
import { pageOf } from './pages.ts';
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

const tags = ['rules'];
const shown = z.object({ revision, rule: described(ruleDocument, 'The rule.') });
export type RuleShown = z.output<typeof shown>;

const written = shown.extend({ widens, lint });
const cursor = pageCursor('rules', z.tuple([count, id]));
const body = ruleDocument.meta({
  examples: [{ version: 1, id: 'support-reads', policy: 'read-only', groups: ['support'] }],
});
const listed = z.object({
  revision: described(
    count,
    'The revision of the last change of any rule. Reordering expects it in If-Match.',
    42,
  ),
  rules: described(z.array(shown), 'The rules of the tenant, in their order.'),
  next: nextCursor,
});

export function readRules(server: HttpServer, { followed }: Control): void {
  server.get(
    '/v1/rules',
    {
      config: { scope: MAY_READ },
      schema: {
        tags,
        summary: 'List rules, the lowest priority first, then by id',
        querystring: z.strictObject({
          limit,
          cursor: cursor.parameter,
          q: textQuery('rules of which the id or policy'),
        }),
        response: { 200: listed },
      },
    },
    (request, reply) => {
      const { cursor: after } = request.query;
      const { rules, rulesRevision } = followed.tenant(callerOf(request).tenant);
      const contains = containsText(request.query.q);
      const behind = [...rules.values()]
        .filter(({ document }) => contains(document.id, document.policy))
        .filter(({ document }) => after === undefined || compare(sortKeyOf(document), after) > 0)
        .sort((one, other) => compare(sortKeyOf(one.document), sortKeyOf(other.document)));
      const { page, limit } = pageOf(behind, request.query.limit);
      reply.header('etag', etagOf(rulesRevision));
      return {
        revision: rulesRevision,
        rules: page.map(({ revision, document }) => ({ revision, rule: document })),
        next: cursor.next(page, limit, ({ document }) => sortKeyOf(document)),
      };
    },
  );

  server.get(
    '/v1/rules/:id',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: { tags, summary: 'Show one rule', params: idParams, response: { 200: shown } },
    },
    (request, reply) => {
      const { id } = request.params;
      const kept = followed.tenant(callerOf(request).tenant).rules.get(id);
      if (kept === undefined) throw notFound('rule', id);
      reply.header('etag', etagOf(kept.revision));
      return { revision: kept.revision, rule: kept.document };
    },
  );
}

export function writeRules(server: HttpServer, control: Control): void {
  server.post(
    '/v1/rules',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Add a rule',
        querystring: whyQuery,
        body,
        response: { 200: wouldChange, 201: written },
      },
    },
    async (request, reply) => {
      const rule = request.body;
      mustCompile(compileRule(rule));
      const what = { event: 'rule.put' as const, rule };
      const dry = await dryRunOf(control, request, what, { expects: 0 });
      if (dry !== null) return dry;
      const { revision, widens } = await carryOut(control, request, reply, what, { expects: 0 });
      reply.code(201).header('location', `/v1/rules/${encodeURIComponent(rule.id)}`);
      return { revision, rule, widens, lint: await lintOf(control, request, { kind: 'rule', id: rule.id }) };
    },
  );

  // This route must come before the route with an id. Otherwise its name would be read as the id of a rule.
  server.put(
    '/v1/rules/reorder',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Put all rules into another order',
        description:
          'The priority of each rule becomes its place in the list. Send the ETag of GET /v1/rules in If-Match.',
        querystring: whyQuery,
        body: z
          .strictObject({
            ruleIds: described(z.array(id).max(CAPS.rules), 'All rules of the tenant, in the new order.', [
              'support-reads',
              'refunds-are-small',
            ]),
          })
          .meta({ examples: [{ ruleIds: ['support-reads', 'nobody-pays'] }] }),
        response: {
          200: z.union([
            wouldChange,
            z.object({ revision: described(count, 'The revision of the last change of any rule.', 43) }),
          ]),
        },
      },
    },
    async (request, reply) => {
      const { ruleIds } = request.body;
      const what = { event: 'rules.reordered' as const, ruleIds };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const { revision } = await carryOut(control, request, reply, what);
      return { revision };
    },
  );

  server.put(
    '/v1/rules/:id',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Add a rule, or change one',
        params: idParams,
        querystring: whyQuery,
        body,
        response: { 200: z.union([wouldChange, written]) },
      },
    },
    async (request, reply) => {
      const rule = request.body;
      mustBeNamed(request.params.id, rule);
      mustCompile(compileRule(rule));
      const what = { event: 'rule.put' as const, rule };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const { revision, widens } = await carryOut(control, request, reply, what);
      return { revision, rule, widens, lint: await lintOf(control, request, { kind: 'rule', id: rule.id }) };
    },
  );

  server.delete(
    '/v1/rules/:id',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Remove a rule',
        params: idParams,
        querystring: whyQuery,
        response: {
          200: z.union([
            wouldChange,
            z.object({
              revision: described(count, 'The revision of the last change of any rule.', 43),
              widens,
              lint,
            }),
          ]),
        },
      },
    },
    async (request, reply) => {
      const { id: ruleId } = request.params;
      const { policy } = control.followed.tenant(callerOf(request).tenant).rules.get(ruleId)?.document ?? {};
      const what = { event: 'rule.removed' as const, ruleId };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const carriedOut = await carryOut(control, request, reply, what);
      const lint =
        policy === undefined
          ? []
          : await lintOf(control, request, { kind: 'policy', id: policyNamed(policy).id });
      return { ...carriedOut, lint };
    },
  );
}

type SortKey = [priority: number, id: string];

function sortKeyOf({ priority, id }: RuleDocument): SortKey {
  return [priority, id];
}

function compare([priority, id]: SortKey, [otherPriority, otherId]: SortKey): number {
  return priority - otherPriority || (id < otherId ? -1 : Number(id > otherId));
}
