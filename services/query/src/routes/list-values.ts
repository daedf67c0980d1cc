/** GET /v1/audit/values: the values of a field that decisions have, for the suggestions of a filter. */
import { DIMENSION_NAMES, values } from '@mandate/audit';
import { count, described, time } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { period, queryParameters, wholeNumberWithin } from '../query-parameters.ts';

const value = z.object({
  value: described(z.string(), 'The value.', 'read_booking'),
  decisions: described(count, 'How many decisions of the period have it.', 420),
  lastAt: described(time.nullable(), 'When the last of these decisions was made.'),
});

export type ValueFound = z.output<typeof value>;

export const listValues: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/values',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'List the values of a field that decisions have, the most frequent first',
        description:
          'For the suggestions of a filter. The names of the fields are those of `groupBy` in analytics. Values that no ' +
          'decision of the period has are not listed.',
        querystring: queryParameters({
          field: described(z.enum(DIMENSION_NAMES), 'The field.', 'tool'),
          prefix: described(
            z.string().max(200).default(''),
            'Only values that begin with this text. Case matters. Default: every value.',
            'read_',
          ),
          ...period(clock),
          limit: described(
            wholeNumberWithin(1, 100).default(20),
            'How many values to return at most, 1 to 100.',
            20,
          ),
        }),
        response: {
          200: z.object({
            values: described(z.array(value), 'The values, the most frequent first.'),
          }),
        },
      },
    },
    async (request) => {
      const { field, prefix, from, to, limit } = request.query;
      const { tenant } = callerOf(request);
      const asked = { tenant, field, prefix, fromMs: from, toMs: to, limit };
      return { values: await ask(askerOf(request), values, asked) };
    },
  );
};
