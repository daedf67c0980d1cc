/** GET /v1/audit/analytics/tokens: the tokens that LLM calls used, and their cost, by agent and model. */
import { tokens } from '@mandate/audit';
import { described, wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, queryParameters } from '../query-parameters.ts';
import { asOf } from './analytics-parameters.ts';

const { shape } = tokens.row;

const used = tokens.row.extend({
  provider: described(
    shape.provider,
    'The normal form of the provider. null: the calls named no provider.',
    'anthropic',
  ),
  model: described(
    shape.model,
    'The normal form of the model. null: the calls are no LLM calls, or their decisions are not in the audit.',
    'claude-sonnet-4-5',
  ),
  outcomes: described(shape.outcomes, 'How many settled outcomes reported tokens.', 120),
  unpriced: described(shape.unpriced, 'How many of these outcomes have no price for their tokens.', 0),
  inputTokens: described(z.int(), 'All input tokens, with cached input and cache writes.', 1_104_000),
  cachedInputTokens: described(z.int(), 'How many of the input tokens were read from a cache.', 960_000),
  cacheWriteTokens: described(z.int(), 'How many of the input tokens were written to a cache.', 120_000),
  outputTokens: described(z.int(), 'All output tokens, with reasoning.', 76_800),
  reasoningTokens: described(
    z.int(),
    'How many of the output tokens were reasoning, as far as the outcomes say.',
    61_440,
  ),
  usageMicros: described(
    microsField,
    'What the tokens cost by the prices of their decisions, in micro-dollars.',
    2_451_600,
  ),
  usage: dollarsField,
  chargedMicros: described(
    microsField,
    'The whole cost of these calls, in micro-dollars, with every excess above a cap.',
    2_451_600,
  ),
  charged: dollarsField,
});

export const analyticsTokens: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/tokens',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Show the tokens that LLM calls used, and their cost, by agent and model',
        description:
          'The agent and model that cost most come first. The period selects settlements by their time. Outcomes without tokens do not count.',
        querystring: queryParameters({ ...decisionFilterParameters(clock), limit }),
        response: {
          200: z.object({
            asOf,
            tokens: described(z.array(used), 'Agents with their models, the highest cost first.'),
          }),
        },
      },
    },
    async (request) => {
      const { limit, ...given } = request.query;
      const asOf = wireTime(clock());
      const asked = { ...decisionFilterOf(callerOf(request).tenant, given), limit };
      const rows = await ask(askerOf(request), tokens, asked);
      return { asOf, tokens: rows.map((row) => withDollars(row)) };
    },
  );
};
