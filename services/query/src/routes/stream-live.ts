/**
 * GET /v1/audit/live: decisions, settlements and control events as server-sent events, as soon as they are recorded.
 * Each event is sent once, in the order of the log for each agent. After a lost connection, a listener continues
 * after its last event. It misses no event and gets none twice. The audit's live/follow.ts explains this.
 */
import { Readable } from 'node:stream';
import { CONTROL_EVENTS, controlEventFeed, decisionFeed, settlementFeed } from '@mandate/audit';
import { ofThisRequest } from '@mandate/runtime';
import { described } from '@mandate/schemas';
import { boundStreams, callerOf, HttpProblem, laneOf } from '@mandate/server';
import { z } from 'zod';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { createFairSemaphore } from '../fair-semaphore.ts';
import { shownControlEvent, shownDecision, shownSettlement } from '../found-rows.ts';
import { type FeedPositions, LIVE_EVENTS, positionsOf } from '../live/event-id.ts';
import {
  eventsFrom,
  type Followed,
  followed,
  type NewestLook,
  positionsToBegin,
} from '../live/follow-audit.ts';
import { shareAnswers, shareResults } from '../live/share-answers.ts';
import { askerOf, type Route } from '../query-context.ts';
import { anyOf, queryParameters } from '../query-parameters.ts';

/** A tenant may have 250 consoles open, each in a browser of its own. */
const MOST_STREAMS = { inAll: 400, ofATenant: 250, ofAKey: 25, keptForPeople: 0 };
/**
 * The maximum number of queries that all streams run at one time, so that ClickHouse has room for other queries. One
 * tenant has at most half of these queries.
 */
const MOST_LOOKS = 4;
const LOOK_EVERY_MS = 400;
/** A look reads at most a thousand rows of a partition. */
const MOST_NEWEST = 1_000;

/** The events that a caller may request: whole tables, or control events by name. */
const EVENTS = [...LIVE_EVENTS, ...CONTROL_EVENTS] as const;

export const streamLive: Route = (server, { ask, clock }) => {
  const streams = boundStreams(server, MOST_STREAMS, {
    what: 'the audit',
    remedy: 'End some streams, or try again in a moment. One stream can follow many agents.',
  });
  // The semaphore has room for all streams, because each stream waits for one answer at a time.
  const semaphore = createFairSemaphore({ running: MOST_LOOKS, waiting: 2 * MOST_STREAMS.inAll });
  /** Nobody gives up a shared answer. The time-out of the audit bounds its wait. */
  const nobodyGone = new AbortController().signal;
  const askShared = shareAnswers((question, params) => {
    const { tenant } = params as { tenant: string };
    return semaphore.run(tenant, nobodyGone, () => ask({ tenant, gone: nobodyGone }, question, params));
  }, LOOK_EVERY_MS);
  const shareLooks = shareResults<NewestLook>(LOOK_EVERY_MS);
  const { from, to: _, ...filters } = decisionFilterParameters(clock);
  const parameters = {
    events: described(
      anyOf(z.enum(EVENTS)),
      'The events to stream: `decision`, `settlement`, `control`, or single kinds of control events. Default: `decision` and `control`, or only `decision` if a filter is given that only decisions have.',
      'decision',
    ),
    ...filters,
    since: described(
      from,
      'The stream begins with events from this time on. Default: now. It is ignored if `last-event-id` says where to continue.',
      '15m',
    ),
    newest: described(
      z.coerce.number().int().min(1).max(MOST_NEWEST).optional(),
      'How many decisions, and how many settlements, are sent at most each time the audit is read, the newest ones. An event `skipped` counts the others. Default: all are sent.',
      50,
    ),
  };

  server.get(
    '/v1/audit/live',
    {
      // The answer to a HEAD request would never end.
      exposeHeadRoute: false,
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'Stream decisions, settlements and control events as server-sent events',
        description:
          'Event `decision`: a decision, as GET /v1/audit/decisions returns it. Event `settlement`: a settlement, as GET ' +
          '/v1/audit/settlements returns it. Event `control`: a control event, as GET /v1/audit/control-events returns ' +
          'it. The control events are those of the tenant, and those that concern every tenant. Only `agent` and ' +
          '`actionId` can narrow settlements and control events. A control event that names no agent or no action passes ' +
          'every such filter. Each event is sent once. The decisions of one agent come in the order of the log, and so ' +
          'do its settlements and its control events. Otherwise the order is nearly that of time. To continue, send the ' +
          'id of the last event in the header `Last-Event-ID`, as event sources of browsers do. Then no event is missed ' +
          'or repeated, even after a restart. Events that the audit has dropped meanwhile are not sent. With `newest`, event ' +
          '`skipped` is the number of decisions and settlements that were left out, such as `{"count":312}`.',
        produces: ['text/event-stream'],
        querystring: queryParameters(parameters),
      },
    },
    async (request, reply) => {
      const { events, since: sinceMs, newest, ...given } = request.query;
      const { tenant } = callerOf(request);
      const asker = askerOf(request);
      const tables = tablesFor(events, tenant, given);
      const last = lastEventIn(request.headers['last-event-id']);

      const { ending, cut, leave } = streams.enter(callerOf(request));
      const left = new AbortController();
      left.signal.addEventListener('abort', leave);
      try {
        // The positions are read before the answer begins, so that the answer can still be a 503 if the audit is
        // unavailable.
        const positions = await positionsToBegin(askShared, tables, { last, sinceMs, nowMs: clock() });
        const text = eventsFrom(positions, tables, {
          ask: askShared,
          clock,
          everyMs: LOOK_EVERY_MS,
          until: AbortSignal.any([ending, left.signal]),
          mayGoOn: () => request.keyStillHolds(),
          lane: laneOf(request),
          newest:
            newest === undefined
              ? undefined
              : {
                  count: newest,
                  share: (places, look) =>
                    shareLooks(JSON.stringify([tenant, events, newest, given, places]), look),
                },
        });
        const stream = Readable.from(text, { highWaterMark: 1 }).once('close', () => left.abort());
        // `left` ends the generator of the text. It must end first, because a destroyed stream waits for the end of
        // its generator.
        const end = ofThisRequest(() => {
          left.abort();
          stream.destroy();
        });
        asker.gone.addEventListener('abort', end);
        cut.addEventListener('abort', end);
        // The place may have been given to another caller while the audit was asked.
        if (cut.aborted) end();
        // The connection closes after this answer. So a server that stops does not have to wait until the connection
        // is idle.
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

type Events = (typeof EVENTS)[number][];
type ControlEventName = (typeof CONTROL_EVENTS)[number];
type Given = Omit<z.output<z.ZodObject<ReturnType<typeof decisionFilterParameters>>>, 'from' | 'to'>;

/**
 * The decisions must be first in the list, because at the same time later tables come first. A kill is recorded
 * before the decisions that it blocks (see the recorder's row-batch.ts). So every listener gets the kill before these
 * decisions.
 */
function tablesFor(events: Events | undefined, tenant: string, given: Given): Followed[] {
  const asked = new Set<Events[number]>(events ?? ['decision']);
  if (events === undefined && onlyOfDecisions(given).length === 0) asked.add('control');
  const named = asked.has('control') ? undefined : CONTROL_EVENTS.filter((event) => asked.has(event));
  return [
    ...(asked.has('decision') ? [decisions(tenant, given)] : []),
    ...(asked.has('settlement') ? [settlements(tenant, given)] : []),
    ...(named?.length === 0 ? [] : [controlEvents(tenant, given, named)]),
  ];
}

function decisions(tenant: string, given: Given): Followed {
  return followed('decision', decisionFeed(decisionFilterOf(tenant, given)), shownDecision);
}

function settlements(tenant: string, given: Given): Followed {
  const narrowed = { tenant, ...byAgentAndAction('settlements', given) };
  return followed('settlement', settlementFeed(narrowed), shownSettlement);
}

function controlEvents(tenant: string, given: Given, event: ControlEventName[] | undefined): Followed {
  const narrowed = { tenant, event, ...byAgentAndAction('control events', given) };
  return followed('control', controlEventFeed(narrowed), shownControlEvent);
}

function byAgentAndAction(what: string, given: Given) {
  const unknown = onlyOfDecisions(given);
  if (unknown.length === 0) return { agentId: given.agent, actionId: given.actionId };
  throw new HttpProblem(400, 'VALIDATION_FAILED', `${what} cannot be narrowed by ${unknown.join(', ')}`, {
    remedy: 'Narrow them by agent and actionId, or ask for decisions alone.',
  });
}

function onlyOfDecisions({ agent: _, actionId: __, ...others }: Given): string[] {
  return Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

function lastEventIn(header: string | string[] | undefined): FeedPositions {
  if (header === undefined || header === '') return {};
  const positions = typeof header === 'string' ? positionsOf(header) : null;
  if (positions !== null) return positions;
  throw new HttpProblem(400, 'VALIDATION_FAILED', 'Last-Event-ID is not an id of an event of this stream', {
    remedy: 'Send the id of the last event unchanged. Or send none, and give `since` instead.',
  });
}
