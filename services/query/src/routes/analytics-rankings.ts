/**
 * GET /v1/audit/analytics/{spend,verdicts,codes,agents,…}: short routes for the most frequent uses of
 * /v1/audit/analytics.
 */
import { analytics, analyticsAnswer, type Dimension, type Measures, NOTHING } from '@mandate/audit';
import { CODES, described, time, VERDICTS, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, spent, withDollars } from '../amounts.ts';
import type { Asker } from '../bounded-ask.ts';
import { askerOf, type QueryContext, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { asOf, callFields, narrowedBy, narrowing, ranked } from './analytics-parameters.ts';

type Ranking = {
  /** The last part of the path. The list in the answer has the same name. */
  name: string;
  of: Dimension;
  /** The field in which each row of the answer has the value of the dimension. */
  field: { name: string; description: string; example: string };
  summary: string;
  /** Fields of a row in addition to calls and spend. */
  more?: Partial<Record<keyof Measures, z.ZodType>>;
  /** True if the answer has a row for actions that have no value in this dimension. */
  none?: boolean;
};

const RANKINGS: readonly Ranking[] = [
  {
    name: 'agents',
    of: 'agent',
    field: { name: 'agentId', description: 'The agent.', example: 'airline-007' },
    summary: 'List agents by their number of calls, the busiest first',
    more: {
      lastDecidedAt: described(
        time.nullable(),
        'When the last of these decisions was made. null: the period has outcomes only.',
      ),
    },
  },
  {
    name: 'tools',
    of: 'tool',
    field: { name: 'tool', description: 'The tool.', example: 'get_user' },
    summary: 'List called tools, the most called first',
  },
  {
    name: 'models',
    of: 'model',
    field: { name: 'model', description: 'The normal form of the model.', example: 'gpt-4o' },
    summary: 'List called models, the most called first',
  },
  {
    name: 'principals',
    of: 'principal',
    field: { name: 'principal', description: 'The user for whom the agents acted.', example: 'u1' },
    summary: 'List principals, the one with the most calls first',
  },
];

export const analyticsRankings: Route = (server, context) => {
  for (const route of [spend, verdicts, codes]) route(server, context);
  for (const each of RANKINGS) ranking(server, context, each);
};

/** Asks the general analytics question. Returns its groups, in the order in which the answer shows them. */
async function groups(
  { ask }: QueryContext,
  asker: Asker,
  given: Parameters<typeof ask<typeof analytics.params, typeof analytics.row>>[2],
) {
  return analyticsAnswer(await ask(asker, analytics, given), given.groupBy ?? [], null).groups;
}

function ranking(
  server: HttpServer,
  context: QueryContext,
  { name, of, field, summary, more }: Ranking,
): void {
  const row = z.object({
    [field.name]: described(z.string(), field.description, field.example),
    ...callFields,
    spentMicros: described(microsField, 'What was charged and settled, in micro-dollars.', 340_000),
    spent: dollarsField,
    ...more,
  });
  server.get(
    `/v1/audit/analytics/${name}`,
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary,
        querystring: queryParameters(ranked(context.clock)),
        response: {
          200: z.object({
            asOf,
            [name]: described(z.array(row), `The ${name} of the period, the most used first.`),
          }),
        },
      },
    },
    async (request) => {
      const { limit, ...given } = request.query;
      const asOf = wireTime(context.clock());
      const found = await groups(context, askerOf(request), {
        ...narrowedBy(callerOf(request).tenant, given),
        groupBy: [of],
        limit,
        namedOnly: true,
      });
      return {
        asOf,
        [name]: found.map(({ group, ...measures }) => ({
          [field.name]: group[of] ?? '',
          ...withDollars(measures),
        })),
      };
    },
  );
}

function spend(server: HttpServer, context: QueryContext): void {
  server.get(
    '/v1/audit/analytics/spend',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Show what was spent, in total and by agent, the largest first',
        description:
          'A charge counts at the time of its decision. A change by an outcome counts at the time of its settlement. So the sums of a past day never change.',
        querystring: queryParameters(ranked(context.clock)),
        response: {
          200: z.object({
            asOf,
            total: described(z.object(spent), 'The whole spending of the period.'),
            agents: described(
              z.array(
                z.object({ agentId: described(z.string(), 'The id of the agent.', 'airline-007'), ...spent }),
              ),
              'The spending of each agent, the largest first.',
            ),
          }),
        },
      },
    },
    async (request) => {
      const { limit, ...given } = request.query;
      const asked = narrowedBy(callerOf(request).tenant, given);
      const asOf = wireTime(context.clock());
      const [[total], byAgent] = await Promise.all([
        groups(context, askerOf(request), asked),
        groups(context, askerOf(request), { ...asked, groupBy: ['agent'], orderBy: 'spentMicros', limit }),
      ]);
      return {
        asOf,
        total: withDollars(total ?? NOTHING),
        agents: byAgent.map(({ group, ...own }) => ({ agentId: group.agent ?? '', ...withDollars(own) })),
      };
    },
  );
}

function verdicts(server: HttpServer, context: QueryContext): void {
  const row = z.object({
    verdict: described(z.enum(VERDICTS), 'The verdict.'),
    decisions: described(z.int(), 'How many decisions have it, duplicates included.', 1_200),
    observed: described(
      z.int(),
      'How many of these were allowed only because the mandate is in observe mode.',
      0,
    ),
  });
  server.get(
    '/v1/audit/analytics/verdicts',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Count decisions by verdict',
        querystring: queryParameters(narrowing(context.clock)),
        response: {
          200: z.object({
            asOf,
            verdicts: described(z.array(row), 'The decisions by verdict, the most frequent first.'),
          }),
        },
      },
    },
    async (request) => {
      const asOf = wireTime(context.clock());
      const found = await groups(context, askerOf(request), {
        ...narrowedBy(callerOf(request).tenant, request.query),
        groupBy: ['verdict', 'observedCode'],
        limit: 1_000,
        decisionsOnly: true,
      });
      const rows = VERDICTS.map((verdict) => {
        const own = found.filter(({ group }) => group.verdict === verdict);
        const count = (some: typeof own) => some.reduce((sum, { calls }) => sum + calls, 0);
        return {
          verdict,
          decisions: count(own),
          observed: count(own.filter(({ group }) => group.observedCode !== null)),
        };
      });
      return {
        asOf,
        verdicts: rows.filter(({ decisions }) => decisions > 0).sort((a, b) => b.decisions - a.decisions),
      };
    },
  );
}

function codes(server: HttpServer, context: QueryContext): void {
  const row = z.object({
    code: described(z.enum(CODES), 'The code.'),
    verdict: described(z.enum(VERDICTS), 'The verdict.'),
    observedCode: described(
      z.enum(CODES).nullable(),
      'The code that enforcement would have given. null: the mandate was enforced, or would have allowed it too.',
    ),
    decisions: described(
      z.int(),
      'How many decisions have this code and verdict, duplicates included.',
      1_200,
    ),
  });
  server.get(
    '/v1/audit/analytics/codes',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Count decisions by code and verdict',
        description:
          '`observedCode` is the code that a mandate in observe mode would have given if it were enforced.',
        querystring: queryParameters(narrowing(context.clock)),
        response: {
          200: z.object({
            asOf,
            codes: described(z.array(row), 'The decisions by code and verdict, the most frequent first.'),
          }),
        },
      },
    },
    async (request) => {
      const asOf = wireTime(context.clock());
      const found = await groups(context, askerOf(request), {
        ...narrowedBy(callerOf(request).tenant, request.query),
        groupBy: ['code', 'verdict', 'observedCode'],
        limit: 1_000,
        decisionsOnly: true,
      });
      return {
        asOf,
        codes: z.array(row).parse(found.map(({ group, calls }) => ({ ...group, decisions: calls }))),
      };
    },
  );
}
