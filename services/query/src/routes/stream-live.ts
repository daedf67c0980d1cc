/**
 * GET /v1/audit/live: decisions and settlements as they come on record, as server-sent events. Each once, in the order of
 * the log for each agent; whoever is cut off goes on behind the last event that it had, and neither misses one nor has
 * one twice. Why that holds stands in the audit's live/follow.ts.
 */
import { Readable } from 'node:stream';
import { type AskAudit, decisionFeed, settlementFeed } from '@mandate/audit';
import { boundStreams, callerOf, HttpProblem } from '@mandate/runtime';
import { z } from 'zod';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { shownDecision, shownSettlement } from '../found-rows.ts';
import { LIVE_EVENTS, type Places, placesOf } from '../live/event-id.ts';
import { eventsFrom, type Followed, followed, placesToBegin } from '../live/follow-audit.ts';
import { askerOf, type Route } from '../query-context.ts';
import { anyOf, queryParameters } from '../query-parameters.ts';
import { createTurns } from '../turns.ts';

const MOST_STREAMS = { inAll: 200, ofATenant: 50 };
/** Of the questions of all streams, so that there is room for others; a tenant has half of it. */
const MOST_LOOKS = 4;
const LOOK_EVERY_MS = 400;

export const streamLive: Route = (server, { ask, clock }) => {
  const streams = boundStreams(server, MOST_STREAMS, {
    what: 'the audit',
    remedy: 'End some, or try again in a moment: one stream can follow many agents.',
  });
  // Each stream waits for one answer at a time.
  const inTurn = createTurns({ running: MOST_LOOKS, waiting: 2 * MOST_STREAMS.inAll });
  const { from, to: _, ...filters } = decisionFilterParameters(clock);
  const parameters = {
    events: anyOf(z.enum(LIVE_EVENTS)).describe(
      'What to tell of: `decision`, which is the default, or `settlement`, or both.',
    ),
    ...filters,
    since: from.describe(
      'Begin with what was decided or settled then; absent: now. Not looked at where an event is named to go on from.',
    ),
  };

  server.get(
    '/v1/audit/live',
    {
      // HEAD would begin an answer that has no end.
      exposeHeadRoute: false,
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Decisions and settlements as they come on record, as server-sent events',
        description:
          'Event `decision`: a decision as the search gives it. Event `settlement`: the same of a settlement, narrowed by agent and action alone. ' +
          'Each is told once, those of an agent in the order of the log; of different agents, and of different events, that is nearly so. ' +
          'Go on with the id of the last event in the header `Last-Event-ID`, as event sources do by themselves: nothing is missed and nothing repeated, also after restarts. ' +
          'What was pruned from the audit meanwhile is no longer told.',
        produces: ['text/event-stream'],
        querystring: queryParameters(parameters),
      },
    },
    async (request, reply) => {
      const { events = ['decision'], since: sinceMs, ...given } = request.query;
      const { tenant } = callerOf(request);
      const asker = askerOf(request);
      const tables = events.map((event) =>
        event === 'decision' ? decisions(tenant, given) : settlements(tenant, given),
      );
      const last = lastEventIn(request.headers['last-event-id']);
      const askInTurn: AskAudit = (question, params) =>
        inTurn(tenant, asker.gone, () => ask(asker, question, params));

      const { ending, leave } = streams.enter(tenant);
      const left = new AbortController();
      left.signal.addEventListener('abort', leave);
      try {
        // Before the answer begins, so that an audit that is away is a 503.
        const places = await placesToBegin(askInTurn, tables, { last, sinceMs, nowMs: clock() });
        const text = eventsFrom(places, tables, {
          ask: askInTurn,
          clock,
          everyMs: LOOK_EVERY_MS,
          until: AbortSignal.any([ending, left.signal]),
          mayGoOn: () => request.keyStillHolds(),
        });
        const stream = Readable.from(text, { highWaterMark: 1 }).once('close', () => left.abort());
        // The text ends with it: a stream that is destroyed waits for that.
        asker.gone.addEventListener('abort', () => {
          left.abort();
          stream.destroy();
        });
        // Nothing follows on the connection, so a server that stops need not wait for it to be idle for long enough.
        return reply
          .type('text/event-stream')
          .headers({ 'cache-control': 'no-store', connection: 'close' })
          .send(stream);
      } catch (error) {
        left.abort();
        throw error;
      }
    },
  );
};

type Given = Omit<z.output<z.ZodObject<ReturnType<typeof decisionFilterParameters>>>, 'from' | 'to'>;

function decisions(tenant: string, given: Given): Followed {
  return followed('decision', decisionFeed(decisionFilterOf(tenant, given)), shownDecision);
}

function settlements(tenant: string, { agent, actionId, ...others }: Given): Followed {
  const unknown = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (unknown.length > 0) {
    throw new HttpProblem(
      400,
      'VALIDATION_FAILED',
      `settlements cannot be narrowed by ${unknown.join(', ')}`,
      {
        remedy: 'Narrow them by agent and actionId, or ask for decisions alone.',
      },
    );
  }
  return followed('settlement', settlementFeed({ tenant, agentId: agent, actionId }), shownSettlement);
}

function lastEventIn(header: string | string[] | undefined): Places {
  if (header === undefined || header === '') return {};
  const places = typeof header === 'string' ? placesOf(header) : null;
  if (places !== null) return places;
  throw new HttpProblem(400, 'VALIDATION_FAILED', 'Last-Event-ID is no id of an event of this stream', {
    remedy: 'Give the id of the last event unchanged, or none, and `since` instead.',
  });
}
