/** GET /v1/audit/analytics/…: spend, verdicts, codes, tools and agents, counted and summed over a time. */
import { agents, codes, spendByAgent, spendInAll, tools, verdicts } from '@mandate/audit';
import { type Clock, callerOf, type HttpServer } from '@mandate/runtime';
import { id, time, wireTime } from '@mandate/schemas';
import { z } from 'zod';
import { dollarsField, microsField, spent, withDollars } from '../amounts.ts';
import { askerOf, type QueryContext, type Route } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const filters = (clock: Clock) => ({ agent: id.optional(), tool: id.optional(), ...period(clock) });
const ranked = (clock: Clock) => ({ ...filters(clock), limit });

const asOf = time.describe('When this was asked; what the recorder had landed by then is in it.');
const calls = {
  calls: z.int(),
  allowed: z.int(),
  blocked: z.int(),
  deferred: z.int(),
  spentMicros: microsField,
  spent: dollarsField,
};

type Filters = {
  agent?: string | undefined;
  tool?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** The parameters of an analytics question. */
function narrowedBy(tenant: string, { agent, tool, from, to }: Filters) {
  return { tenant, agentId: agent, tool, fromMs: from, toMs: to };
}

export const analytics: Route = (server, context) => {
  for (const route of [spend, verdictCounts, codeCounts, toolRanking, agentRanking]) route(server, context);
};

function spend(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/analytics/spend',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'What was spent, in all and by agent, the largest first',
        description:
          'A charge is booked when it was decided, what an outcome changes when it was settled: a day that is over never changes.',
        querystring: queryParameters(ranked(clock)),
        response: {
          200: z.object({
            asOf,
            total: z.object(spent),
            agents: z.array(z.object({ agentId: z.string(), ...spent })),
          }),
        },
      },
    },
    async (request) => {
      const asked = narrowedBy(callerOf(request).tenant, request.query);
      const asOf = wireTime(clock());
      const [[total], byAgent] = await Promise.all([
        ask(askerOf(request), spendInAll, asked),
        ask(askerOf(request), spendByAgent, { ...asked, limit: request.query.limit }),
      ]);
      const nothing = { chargedMicros: 0, settledMicros: 0, spentMicros: 0 };
      return { asOf, total: withDollars(total ?? nothing), agents: byAgent.map((row) => withDollars(row)) };
    },
  );
}

function verdictCounts(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/analytics/verdicts',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'How decisions fell, by verdict',
        querystring: queryParameters(filters(clock)),
        response: { 200: z.object({ asOf, verdicts: z.array(verdicts.row) }) },
      },
    },
    async (request) => ({
      asOf: wireTime(clock()),
      verdicts: await ask(askerOf(request), verdicts, narrowedBy(callerOf(request).tenant, request.query)),
    }),
  );
}

function codeCounts(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/analytics/codes',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Why decisions fell as they did, by code and verdict',
        description: '`observedCode` is what a mandate that only observes would have said.',
        querystring: queryParameters(filters(clock)),
        response: {
          200: z.object({
            asOf,
            codes: z.array(codes.row.extend({ observedCode: codes.row.shape.code.nullable() })),
          }),
        },
      },
    },
    async (request) => ({
      asOf: wireTime(clock()),
      codes: await ask(askerOf(request), codes, narrowedBy(callerOf(request).tenant, request.query)),
    }),
  );
}

function toolRanking(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/analytics/tools',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Which tools were called, the most called first',
        querystring: queryParameters(ranked(clock)),
        response: { 200: z.object({ asOf, tools: z.array(z.object({ tool: z.string(), ...calls })) }) },
      },
    },
    async (request) => {
      const asked = narrowedBy(callerOf(request).tenant, request.query);
      const asOf = wireTime(clock());
      const rows = await ask(askerOf(request), tools, { ...asked, limit: request.query.limit });
      return { asOf, tools: rows.map((row) => withDollars(row)) };
    },
  );
}

function agentRanking(server: HttpServer, { ask, clock }: QueryContext): void {
  server.get(
    '/v1/audit/analytics/agents',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Which agents were at work, the busiest first',
        querystring: queryParameters(ranked(clock)),
        response: {
          200: z.object({
            asOf,
            agents: z.array(z.object({ agentId: z.string(), ...calls, lastDecidedAt: time.nullable() })),
          }),
        },
      },
    },
    async (request) => {
      const asked = narrowedBy(callerOf(request).tenant, request.query);
      const asOf = wireTime(clock());
      const rows = await ask(askerOf(request), agents, { ...asked, limit: request.query.limit });
      return { asOf, agents: rows.map((row) => withDollars(row)) };
    },
  );
}
