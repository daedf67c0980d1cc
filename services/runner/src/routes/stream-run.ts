/**
 * GET /v1/runs/:id/stream: the events of a run as CloudEvents 1.0 over server-sent events, from the first event, or
 * after the last event that the listener has. The stream ends with the run.
 */
import { PassThrough } from 'node:stream';
import { ofThisRequest } from '@mandate/runtime';
import type { RunEvent } from '@mandate/schemas';
import { boundStreams, callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import type { Runner } from '../runner.ts';
import { mustFind, runParams } from './run-shapes.ts';

const MOST_STREAMS = { inAll: 500, ofATenant: 200, ofAKey: 50, keptForPeople: 0 };
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
const PING_MS = 15_000;

export function streamRun(server: HttpServer, runner: Runner): void {
  const { runs, texts } = runner;
  const streams = boundStreams(server, MOST_STREAMS, {
    what: 'runs',
    remedy: 'End some streams, or try again in a moment.',
  });
  server.get(
    '/v1/runs/:id/stream',
    {
      // The answer to a HEAD request would never end.
      exposeHeadRoute: false,
      config: { scope: ['audit', 'operate'], refusals: { 404: 'There is no such run.' } },
      schema: {
        tags: ['runs'],
        summary: 'Stream the events of a run as CloudEvents, until the run ends',
        description:
          'Each event is a CloudEvent in JSON, with the type `mandate.` and the name of the event. Its id is the number of ' +
          'the event in the run. To continue, send the id of the last event in the header `Last-Event-ID`. The text of ' +
          'agents whose delivery_mode is server_sent_events comes as `mandate.run.text` while it arrives, from the runner ' +
          'that performs the run. Such events have no id, and are not repeated.',
        produces: ['text/event-stream'],
        params: runParams,
      },
    },
    async (request, reply) => {
      const key = callerOf(request);
      const run = mustFind(runner, key.tenant, request.params.id);
      let sent = lastNumber(request.headers['last-event-id']);
      const { ending, cut, leave } = streams.enter(key);
      const stream = new PassThrough();
      const write = (text: string) => {
        if (stream.writableLength > MOST_WAITING_BYTES) stream.destroy();
        else if (stream.writable) stream.write(text);
      };
      const send = (number: number, event: RunEvent) => {
        if (number <= sent) return;
        sent = number;
        write(`id: ${number}\nevent: ${event.event}\ndata: ${JSON.stringify(cloudEvent(number, event))}\n\n`);
      };
      // The status shows whether the run has ended. An event does not show it, because a failed run can be retried.
      const endWithRun = () => {
        if (run.status !== 'running') stream.end();
      };
      // Events that arrive while earlier events are read wait until these are sent.
      let early: RunEvent[] | null = [];
      let number = run.offsets.length;
      const unlisten = runs.book.listen(
        ofThisRequest((of: typeof run, event: RunEvent) => {
          if (of !== run) return;
          if (early !== null) early.push(event);
          else {
            send(++number, event);
            endWithRun();
          }
        }),
      );
      const unlistenTexts = texts.listen(
        ofThisRequest(({ tenant, runId, step, text }) => {
          if (tenant !== run.tenant || runId !== run.runId || early !== null) return;
          write(`event: run.text\ndata: ${JSON.stringify(textEvent(runId, step, text))}\n\n`);
        }),
      );
      const pinging = setInterval(() => write(': ping\n\n'), PING_MS);
      stream.once('close', () => {
        clearInterval(pinging);
        unlisten();
        unlistenTexts();
        leave();
      });
      ending.addEventListener(
        'abort',
        ofThisRequest(() => void stream.end()),
      );
      cut.addEventListener(
        'abort',
        ofThisRequest(() => void stream.destroy()),
      );
      try {
        const before = await runs.eventsOf(run);
        for (const [at, event] of before.slice(0, number).entries()) send(at + 1, event);
        for (const event of early) send(++number, event);
        early = null;
        endWithRun();
      } catch (error) {
        stream.destroy();
        throw error;
      }
      return reply
        .type('text/event-stream')
        .headers({ 'cache-control': 'no-store', connection: 'close' })
        .send(stream);
    },
  );
}

function cloudEvent(number: number, event: RunEvent): object {
  const { event: name, runId, at } = event;
  return {
    specversion: '1.0',
    id: String(number),
    source: `/v1/runs/${encodeURIComponent(runId)}`,
    type: `mandate.${name}`,
    ...('step' in event && event.step !== null && { subject: event.step }),
    time: at,
    datacontenttype: 'application/json',
    data: event,
  };
}

function textEvent(runId: string, step: string, text: string): object {
  const source = `/v1/runs/${encodeURIComponent(runId)}`;
  return { specversion: '1.0', id: '', source, type: 'mandate.run.text', subject: step, data: { text } };
}

function lastNumber(header: string | string[] | undefined): number {
  if (header === undefined || header === '') return 0;
  if (typeof header === 'string' && /^[0-9]{1,15}$/.test(header)) return Number(header);
  throw new HttpProblem(400, 'VALIDATION_FAILED', 'Last-Event-ID is not the number of an event', {
    remedy: 'Send the id of the last event unchanged, or none.',
  });
}
