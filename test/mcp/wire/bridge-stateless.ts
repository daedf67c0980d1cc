/** The newer era of the bridge: one program for all requests, which get ids of their own, because clients share ids. */
import type { ServerResponse } from 'node:http';
import { type EventStream, eventStream } from './event-streams.ts';
import { type Frame, isResponse } from './frame.ts';
import { type LineProcess, startLines } from './line-process.ts';
import type { Command } from './stdio-process.ts';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const METHOD_NOT_FOUND = -32601;
/** The statuses of errors. Every other error is an answer with status 200. */
const STATUS_OF_ERROR: Record<number, number> = { [METHOD_NOT_FOUND]: 404, [-32021]: 400, [-32022]: 400 };

type OpenRequest = { frame: Frame; response: ServerResponse; stream: EventStream };

export type BridgeStateless = {
  readonly process: LineProcess;
  post(frame: Frame, response: ServerResponse): void;
};

export function startBridgeStateless(command: Command): BridgeStateless {
  const requests = new Map<string | number, OpenRequest>();
  let lastId = 0;

  const process = startLines(command, (frame) => {
    const id = idOf(frame);
    const request = requests.get(id ?? '');
    if (id === undefined || request === undefined) return;
    const { response, stream } = request;
    if (!isResponse(frame)) return stream.send(frame);
    requests.delete(id);
    const answer = { ...frame, id: request.frame.id ?? null };
    if (response.headersSent) {
      stream.send(answer);
      return stream.end();
    }
    response.writeHead(STATUS_OF_ERROR[frame.error?.code ?? 0] ?? 200, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify(answer));
  });

  /** Returns the id of the request that a message belongs to. */
  function idOf(frame: Frame): string | number | undefined {
    if (isResponse(frame)) return frame.id ?? undefined;
    const subscription = frame.params?._meta?.[SUBSCRIPTION_ID];
    const token = frame.params?.progressToken;
    for (const [id, { frame: asked }] of requests) {
      if (String(id) === String(subscription)) return id;
      if (token !== undefined && asked.params?._meta?.progressToken === token) return id;
    }
    return subscription === undefined && token === undefined ? [...requests.keys()].at(-1) : undefined;
  }

  return {
    process,
    post(frame, response) {
      lastId += 1;
      const id = lastId;
      requests.set(id, { frame, response, stream: eventStream(response) });
      response.once('close', () => {
        if (!requests.delete(id)) return;
        process.send({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id },
        } as Frame);
      });
      process.send({ ...frame, id });
    },
  };
}
