/** GET /v1/audit/dead-letters/:id: one record that could not be read, in full, with its republications. */
import { deadLetterById } from '@mandate/audit';
import { deadLetter, described, id, logPosition, textOfLetter, topicOfTenant } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { historyOf, republication } from '../dead-letter-history.ts';
import { askerOf, type Route, withLogPosition } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';

/** Newer versions may add fields that this version does not know. The answer shows such fields too. */
const onLog = deadLetter.extend({
  deadLetter: described(deadLetter.shape.deadLetter.loose(), 'The dead letter.'),
});

export const showDeadLetter: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/dead-letters/:id',
    {
      config: { scope: ['audit', 'operate:all'], refusals: { 404: 'The audit has no such dead letter.' } },
      schema: {
        tags: ['audit'],
        summary: 'Show one dead letter with its bytes and history',
        description:
          'The answer has each republication: who published the record again, when, why, with which correction, and what ' +
          'became of it. A key that sees the dead letter in the list sees it here too.',
        params: z.object({
          id: described(id, 'The id of the dead letter.', 'dlq_01ke6qys6r234a8ff792246c8f031c'),
        }),
        querystring: queryParameters({}),
        response: {
          200: onLog.extend({
            text: described(
              z.string().nullable(),
              'What the producer sent, as text. null: the bytes are not UTF-8.',
              '{"event":"action.requested","action":{"id":"act_7f44","attempt":0}}',
            ),
            republications: described(
              z.array(republication),
              'Each time that it was published again, the oldest first.',
            ),
            log: described(logPosition, 'The log position of the dead letter.'),
          }),
        },
      },
    },
    async (request) => {
      const asker = askerOf(request);
      const { tenant, scopes } = callerOf(request);
      const sourceTopic = scopes.includes('operate:all') ? undefined : topicOfTenant(tenant);
      const letterId = request.params.id;
      const [row] = await ask(asker, deadLetterById, { sourceTopic, id: letterId });
      if (row === undefined) {
        throw new HttpProblem(404, 'DEAD_LETTER_NOT_FOUND', 'the audit has no such dead letter', {
          remedy:
            '/v1/audit/dead-letters lists all dead letters. A new dead letter may take a second to appear.',
        });
      }
      const { payload, log } = withLogPosition(row);
      const letter = onLog.parse(JSON.parse(payload));
      const republications = await historyOf(ask, asker, { letterId, sourceTopic });
      return { ...letter, text: textOfLetter(letter.deadLetter), republications, log };
    },
  );
};
