/** Starts an OTLP receiver over HTTP, like a collector. It keeps every span for the test. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export type ReceivedSpan = {
  service: string;
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  /** The id of the parent span. Null at the root of a trace. */
  parentSpanId: string | null;
  attributes: Readonly<Record<string, string | number | boolean>>;
  hasFailed: boolean;
  /** When the span began, in nanoseconds since 1970. */
  beganAt: bigint;
  endedAt: bigint;
};

export type OtlpReceiver = {
  url: string;
  spans: readonly ReceivedSpan[];
  /** The received requests, one for each delivery. */
  requests: readonly { path: string; headers: IncomingHttpHeaders; bytes: string }[];
};

const attributes = z
  .array(
    z.object({
      key: z.string(),
      value: z.union([
        z.strictObject({ stringValue: z.string() }).transform((value) => value.stringValue),
        z.strictObject({ intValue: z.coerce.number() }).transform((value) => value.intValue),
        z.strictObject({ doubleValue: z.number() }).transform((value) => value.doubleValue),
        z.strictObject({ boolValue: z.boolean() }).transform((value) => value.boolValue),
        z.unknown().transform(() => 'of another type'),
      ]),
    }),
  )
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));

const nanoseconds = z.union([z.string(), z.number()]).transform(BigInt);

/** The JSON form of ExportTraceServiceRequest, with the fields that tests need. */
const exportRequest = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              kind: z.int(),
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z.string().optional(),
              attributes,
              status: z.object({ code: z.int().default(0) }),
              startTimeUnixNano: nanoseconds,
              endTimeUnixNano: nanoseconds,
            }),
          ),
        }),
      ),
    }),
  ),
});

const FAILED = 2;

/** @param status the status of every answer; with `silence` there is no answer */
export async function startOtlpReceiver(status: number | 'silence' = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'][number][] = [];
  const server = createServer(async (request, response) => {
    const bytes = await text(request);
    requests.push({ path: request.url ?? '', headers: request.headers, bytes });
    if (status === 'silence') return;
    if (status === 200) spans.push(...spansIn(bytes));
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, requests };
}

function spansIn(bytes: string): ReceivedSpan[] {
  return exportRequest.parse(JSON.parse(bytes)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ status, parentSpanId, startTimeUnixNano, endTimeUnixNano, ...span }) => ({
        ...span,
        service: String(resource.attributes['service.name']),
        parentSpanId: parentSpanId === undefined || parentSpanId === '' ? null : parentSpanId,
        hasFailed: status.code === FAILED,
        beganAt: startTimeUnixNano,
        endedAt: endTimeUnixNano,
      })),
    ),
  );
}

/** Returns the names of spans, each indented below its parent. `below` is the id of the parent to begin with. */
export function traceTree(spans: readonly ReceivedSpan[], below: string | null = null, depth = 0): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === below)
    .sort((one, other) => Number(one.beganAt - other.beganAt))
    .flatMap(({ name, spanId }) => [`${'  '.repeat(depth)}${name}`, ...traceTree(spans, spanId, depth + 1)]);
}

/** The expected trace of an action that was sent over HTTP, from the request to the audit tables. */
export const WHOLE_WAY: readonly string[] = [
  'POST /v1/actions',
  '  append mandate.actions.v1',
  '    process mandate.actions.v1',
  '      plan',
  '      ledger step',
  '      decide',
  '      append mandate.decisions.v1',
  '        process mandate.decisions.v1',
  '          insert',
];
