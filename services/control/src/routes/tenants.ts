/**
 * /v1/tenants: the tenants, their quotas and tenant limits, and whether each tenant is open. For operators of the
 * plane; other people see only their own tenant. A tenant without a document is open. It has the default quotas and no
 * tenant limits.
 */
import { compileTenantLimits, type OpenedTenant } from '@mandate/control';
import { count, described, id, roleLastsMs, tenantDocument, time } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer, issueRoleKey } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { type Asked, type CarriedOut, carryOut } from '../writes/carry-out.ts';
import { dryRunOf, type WouldChange } from '../writes/dry-run.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { mustCompile } from './must-compile.ts';
import { pagesById } from './pages.ts';
import { IN_THE_WAY, MAY_READ, mustBeNamed, NOT_THERE, revision, whyQuery } from './shapes.ts';
import { widens } from './widens.ts';
import { wouldChange } from './would-change.ts';

const tags = ['tenants'];
const scope = 'operate:all';

const tenantParams = z.object({ id: described(tenantDocument.shape.id, 'The id of the tenant.', 'acme') });
const shown = z.object({
  revision,
  tenant: described(tenantDocument, 'The tenant.'),
  closedAt: described(time.nullable(), 'When the tenant was closed. null: it is open.'),
});
const counted = shown.extend({
  holds: described(
    z.object({
      agents: described(count, 'The number of agents.', 120),
      policies: described(count, 'The number of policies, archived ones included.', 14),
      rules: described(count, 'The number of rules.', 30),
      grants: described(count, 'The number of grants that have neither ended nor been revoked.', 2),
    }),
    'How much the tenant contains now. If a quota is lower than this, nothing is removed, and nothing can be added.',
  ),
});
const changed = counted.extend({ widens });
const opened = counted.extend({
  key: described(
    z
      .object({
        id: described(id, 'The public id of the key.', '1bC2dE3fG4hI'),
        name: described(z.string(), 'The name of the key.', 'first admin'),
        role: described(z.literal('admin'), 'The role of the key.'),
        key: described(z.string(), 'The key itself. It is shown only here.', 'sk-mdt_…'),
      })
      .nullable(),
    'The key of the first admin, who issues all other keys. It is valid for 90 days, shown only here and stored nowhere. null: the tenant has content or keys already, or this same request was answered before.',
  ),
});
const pages = pagesById('tenants', shown);
const body = tenantDocument.meta({
  examples: [
    {
      version: 1,
      id: 'acme',
      name: 'Acme Airlines',
      quotas: { agents: 500 },
      limits: { budgets: [{ id: 'contract', scope: 'tenant', max: 1000 }], deniedTools: ['shell_*'] },
    },
  ],
});

function shownOf({ revision, document, closedAt }: OpenedTenant): z.output<typeof shown> {
  return { revision, tenant: document, closedAt };
}

function countedOf({ followed, clock }: Control, name: string): z.output<typeof counted> {
  const { opened, agents, policies, rules, issued } = followed.tenant(name);
  if (opened === null) throw notFound('tenant', name);
  const atMs = clock();
  const alive = [...issued.byId.values()].filter((one) => one.revokedAt === null && one.endsAtMs > atMs);
  const holds = {
    agents: agents.size,
    policies: policies.size,
    rules: rules.size,
    grants: alive.length,
  };
  return { ...shownOf(opened), holds };
}

export function readTenants(server: HttpServer, control: Control): void {
  server.get(
    '/v1/tenants',
    {
      config: { scope },
      schema: {
        tags,
        summary: 'List tenants by id, also closed ones',
        querystring: pages.querystring,
        response: { 200: pages.response },
      },
    },
    (request) => pages.page(control.followed.tenants, request.query, shownOf),
  );

  server.get(
    '/v1/tenants/:id',
    {
      config: { scope: [scope, ...MAY_READ], refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'Show one tenant. Without operate:all, only the tenant of the key',
        params: tenantParams,
        response: { 200: counted },
      },
    },
    (request, reply) => {
      const { id } = request.params;
      const { tenant, scopes } = callerOf(request);
      if (id !== tenant && !scopes.includes(scope)) throw notFound('tenant', id);
      const answer = countedOf(control, id);
      reply.header('etag', etagOf(answer.revision));
      return answer;
    },
  );
}

export function writeTenants(server: HttpServer, control: Control): void {
  server.post(
    '/v1/tenants',
    {
      config: { scope, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Open a tenant, and issue a key for its first admin',
        description:
          'Only this answer contains the key. There is no key if the tenant has agents, documents or keys already. ' +
          '`quotas` says how many documents and records the tenant may have. `limits` has the tenant limits: ' +
          'every mandate of the tenant must also obey them. They have the fields of a policy.',
        querystring: whyQuery,
        body,
        response: { 200: wouldChange, 201: opened },
      },
    },
    async (request, reply) => {
      const { id } = request.body;
      // The key file is read first. If the file cannot be read, the tenant is not opened.
      const isKnown = (await control.fileKeys(id)).length > 0;
      const made = await put(control, request, reply, { expects: 0 });
      if ('dryRun' in made) return made;
      const key = isKnown ? null : await firstKey(control, request, id);
      reply.code(201).header('location', `/v1/tenants/${id}`);
      return { ...countedOf(control, id), key };
    },
  );

  server.put(
    '/v1/tenants/:id',
    {
      config: { scope, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Open a tenant, change it, or open a closed tenant again',
        params: tenantParams,
        querystring: whyQuery,
        body,
        response: { 200: z.union([wouldChange, changed]) },
      },
    },
    async (request, reply) => {
      mustBeNamed(request.params.id, request.body);
      const made = await put(control, request, reply);
      if ('dryRun' in made) return made;
      return { ...countedOf(control, request.body.id), widens: made.widens };
    },
  );

  server.delete(
    '/v1/tenants/:id',
    {
      config: { scope, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Close a tenant: nothing is allowed or changed in it until the tenant is opened again',
        description:
          'Outcomes of running actions may still be reported, and the audit may still be read. To stop running agents at once, use the kill switch.',
        params: tenantParams,
        querystring: whyQuery,
        response: { 200: z.union([wouldChange, counted]) },
      },
    },
    async (request, reply) => {
      const { id: tenant } = request.params;
      if (tenant === callerOf(request).tenant)
        throw new HttpProblem(409, 'OWN_TENANT', 'a key cannot close its own tenant', {
          remedy: 'Close it with a key of another tenant that has the scope operate:all.',
        });
      const what = { event: 'tenant.closed' as const };
      const dry = await dryRunOf(control, request, what, { tenant });
      if (dry !== null) return dry;
      await carryOut(control, request, reply, what, { tenant });
      return countedOf(control, tenant);
    },
  );
}

type Put = Asked & { body: z.output<typeof tenantDocument> };

async function put(
  control: Control,
  request: Put,
  reply: Parameters<typeof carryOut>[2],
  options: { expects?: number } = {},
): Promise<CarriedOut | WouldChange> {
  const document = request.body;
  mustCompile(compileTenantLimits(document));
  const what = { event: 'tenant.put' as const, tenant: document };
  const ofTenant = { ...options, tenant: document.id };
  const dry = await dryRunOf(control, request, what, ofTenant);
  return dry ?? carryOut(control, request, reply, what, ofTenant);
}

/**
 * Issues the first admin key of a tenant, if the tenant is empty. In a tenant that is in use, this would make the
 * operator of the plane an admin of that tenant.
 */
async function firstKey(
  control: Control,
  request: Asked,
  tenant: string,
): Promise<z.output<typeof opened>['key']> {
  const { agents, retired, policies, rules, issued, roleKeys } = control.followed.tenant(tenant);
  if ([agents, retired, policies, rules, issued.byId, roleKeys].some(({ size }) => size > 0)) return null;
  const role = 'admin';
  const name = `first admin of ${tenant}`;
  const { key, record } = issueRoleKey({ tenant, role, name, lastsMs: roleLastsMs(role) }, control.clock);
  const what = { event: 'role.granted' as const, role, key: record } as const;
  try {
    await carryOut(control, request, null, what, { expects: 0, part: name, tenant });
    return { id: record.id, name, role, key };
  } catch (error) {
    // An earlier try of this request has issued another key. That key cannot be shown again, because only its hash is
    // stored.
    if (error instanceof HttpProblem && error.code === 'ID_REUSED') return null;
    throw error;
  }
}
