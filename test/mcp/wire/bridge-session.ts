/** The older era of the bridge: one program for each session, and its messages on the streams of the session. */
import type { ServerResponse } from 'node:http';
import { type EventStream, eventStream } from './event-streams.ts';
import { type Frame, isRequest, isResponse } from './frame.ts';
import { type LineProcess, startLines } from './line-process.ts';
import type { Command } from './stdio-process.ts';

type OpenRequest = { id: string | number | null; progressToken: unknown; stream: EventStream };

export type BridgeSession = {
  readonly process: LineProcess;
  /** Passes a message on, and keeps the response open until the answer has come. */
  post(frame: Frame, response: ServerResponse, headers: Record<string, string>): void;
  /** Opens the stream for messages that belong to no request. */
  listen(response: ServerResponse): void;
};

export function startBridgeSession(command: Command): BridgeSession {
  const requests: OpenRequest[] = [];
  /** The messages of the program that came before there was a stream for them. */
  const early: Frame[] = [];
  let general: EventStream | undefined;
  const process = startLines(command, (frame) => {
    if (isResponse(frame)) {
      const at = requests.findIndex(({ id }) => id === frame.id);
      const [request] = at < 0 ? [] : requests.splice(at, 1);
      request?.stream.send(frame);
      request?.stream.end();
      return;
    }
    const stream = streamFor(frame);
    if (stream === undefined) early.push(frame);
    else stream.send(frame);
  });

  /** Chooses the request that a message belongs to. Over stdio only the token of progress says it. */
  function streamFor(frame: Frame): EventStream | undefined {
    const token = frame.params?.progressToken;
    const byToken = requests.find(({ progressToken }) => token !== undefined && progressToken === token);
    return (byToken ?? requests.at(-1))?.stream ?? general;
  }

  return {
    process,
    post(frame, response, headers) {
      if (!isRequest(frame)) {
        process.send(frame);
        response.writeHead(202, headers).end();
        return;
      }
      const progressToken = frame.params?._meta?.progressToken;
      requests.push({ id: frame.id ?? null, progressToken, stream: eventStream(response, headers) });
      process.send(frame);
    },
    listen(response) {
      general = eventStream(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for (const frame of early.splice(0)) general.send(frame);
    },
  };
}
