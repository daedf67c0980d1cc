/**
 * /v1/agents: the registered agents. The rules that match an agent say what the agent may do. An agent that is not
 * registered may do nothing.
 */

import { agentDocument, described } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { carryOut } from '../writes/carry-out.ts';
import { dryRunOf } from '../writes/dry-run.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { agentFilter, filterAgents } from './agent-filter.ts';
import { issuedKey, issueKey, keyQuery, SHOWN_ONCE } from './agent-keys.ts';
import { pagesById } from './pages.ts';
import {
  IN_THE_WAY,
  idParams,
  MAY_READ,
  MAY_WRITE,
  mustBeNamed,
  NOT_THERE,
  revision,
  whyQuery,
} from './shapes.ts';
import { lint, lintOf } from './show-lint.ts';
import { widens } from './widens.ts';
import { wouldChange } from './would-change.ts';

const tags = ['agents'];
const shown = z.object({ revision, agent: described(agentDocument, 'The agent.') });
export type AgentShown = z.output<typeof shown>;

const written = shown.extend({ widens, lint });
const pages = pagesById('agents', shown);
const body = agentDocument.meta({
  examples: [{ id: 'airline-007', groups: ['support'], labels: { tier: 'gold' } }],
});

export function readAgents(server: HttpServer, { followed }: Control): void {
  server.get(
    '/v1/agents',
    {
      config: { scope: MAY_READ },
      schema: {
        tags,
        summary: 'List registered agents, by id',
        querystring: pages.querystring.extend(agentFilter),
        response: { 200: pages.response },
      },
    },
    (request) => {
      const { agents } = followed.tenant(callerOf(request).tenant);
      return pages.page(filterAgents(agents, request.query), request.query, ({ revision, document }) => ({
        revision,
        agent: document,
      }));
    },
  );

  server.get(
    '/v1/agents/:id',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: { tags, summary: 'Show one agent', params: idParams, response: { 200: shown } },
    },
    (request, reply) => {
      const { id } = request.params;
      const kept = followed.tenant(callerOf(request).tenant).agents.get(id);
      if (kept === undefined) throw notFound('agent', id);
      reply.header('etag', etagOf(kept.revision));
      return { revision: kept.revision, agent: kept.document };
    },
  );
}

export function writeAgents(server: HttpServer, control: Control): void {
  server.post(
    '/v1/agents',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Register an agent, and issue it a key to publish with',
        querystring: keyQuery,
        body,
        response: {
          200: wouldChange,
          201: written.extend({ key: described(issuedKey.nullable(), `A key for the agent. ${SHOWN_ONCE}`) }),
        },
      },
    },
    async (request, reply) => {
      const agent = request.body;
      const what = { event: 'agent.put' as const, agent };
      const dry = await dryRunOf(control, request, what, { expects: 0 });
      if (dry !== null) return dry;
      const { revision, widens } = await carryOut(control, request, reply, what, { expects: 0 });
      const key = await issueKey(control, request, { agentId: agent.id, report: request.query.report });
      reply
        .code(201)
        .header('location', `/v1/agents/${encodeURIComponent(agent.id)}`)
        .header('etag', etagOf(revision));
      return {
        revision,
        agent,
        key,
        widens,
        lint: await lintOf(control, request, { kind: 'agent', id: agent.id }),
      };
    },
  );

  server.put(
    '/v1/agents/:id',
    {
      config: { scope: MAY_WRITE, refusals: IN_THE_WAY },
      schema: {
        tags,
        summary: 'Register an agent, or change one',
        params: idParams,
        querystring: whyQuery,
        body,
        response: { 200: z.union([wouldChange, written]) },
      },
    },
    async (request, reply) => {
      const agent = request.body;
      mustBeNamed(request.params.id, agent);
      const what = { event: 'agent.put' as const, agent };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const { revision, widens } = await carryOut(control, request, reply, what);
      return {
        revision,
        agent,
        widens,
        lint: await lintOf(control, request, { kind: 'agent', id: agent.id }),
      };
    },
  );

  server.delete(
    '/v1/agents/:id',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary:
          'Take an agent off the register: from then on nothing is allowed to it, whatever a file says',
        params: idParams,
        querystring: whyQuery,
        response: { 200: z.union([wouldChange, z.object({ revision, lint })]) },
      },
    },
    async (request, reply) => {
      const { id: agentId } = request.params;
      const what = { event: 'agent.retired' as const, agentId };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      const { revision } = await carryOut(control, request, reply, what);
      return { revision, lint: await lintOf(control, request, { kind: 'agent', id: agentId }) };
    },
  );
}
