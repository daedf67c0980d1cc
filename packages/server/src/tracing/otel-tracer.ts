/** The tracer of OpenTelemetry's SDK, which sends spans over OTLP. open-tracer.ts loads it only if traces are on. */

import { randomUUID } from 'node:crypto';
import type { Logger } from '@mandate/runtime';
import {
  type Attributes,
  MandateError,
  nowMs,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@mandate/runtime';
import type { OtlpSettings } from '@mandate/runtime/settings';
import {
  type Context,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Metrics } from '../metrics.ts';
import { deliveriesOf, SpanQueue } from './span-queue.ts';
import { readTraceparent, writeTraceparent } from './traceparent.ts';

/** Facts about the process that sends the spans. */
export type TracedProcess = { service: string; version: string; log: Logger; metrics: Metrics };

/** `stop` sends the waiting spans, within the time-out of one delivery. A span that ends after `stop` is lost. */
export type OpenedTracer = Tracer & { stop(): Promise<void> };

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

export function createOtelTracer(
  settings: OtlpSettings & { OTLP_URL: string },
  { service, version, log, metrics }: TracedProcess,
): OpenedTracer {
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTLP_URL.replace(/\/+$/, '')}/v1/traces`,
    headers: headersOf(settings),
    timeoutMillis: settings.OTLP_TIMEOUT_MS,
    concurrencyLimit: deliveriesOf(settings.OTLP_QUEUE_SPANS),
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.namespace': 'mandate',
        'service.name': `mandate-${service}`,
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    ),
    // If a caller began the trace, the caller decides whether it is recorded. Otherwise the ratio decides.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTLP_TRACE_RATIO) }),
    spanProcessors: [new SpanQueue({ exporter, maxSpans: settings.OTLP_QUEUE_SPANS, log, metrics })],
  });
  const otel = provider.getTracer('mandate', version);
  log.info({ ratio: settings.OTLP_TRACE_RATIO }, 'tracing');
  return {
    begin(name, parent, options) {
      const given = parent === null ? null : readTraceparent(parent);
      if (given === null) return begin(otel, ROOT_CONTEXT, name, options);
      if (!given.isSampled) return new UnrecordedSpan(writeTraceparent(given));
      const { traceId, spanId } = given;
      const remote = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      return begin(otel, trace.setSpanContext(ROOT_CONTEXT, remote), name, options);
    },
    stop: () => provider.shutdown(),
  };
}

/** Returns the headers from the setting. A comma in a value is percent-encoded, as in OTEL_EXPORTER_OTLP_HEADERS. */
function headersOf({ OTLP_HEADERS: headers = [] }: OtlpSettings): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const at = header.indexOf('=');
      return [header.slice(0, at), header.slice(at + 1).replaceAll(/%2c/gi, ',')];
    }),
  );
}

function begin(otel: OtelTracer, parent: Context, name: string, options: SpanOptions = {}): Span {
  const { kind = 'internal', attributes = {}, beganAtMs: startTime = nowMs() } = options;
  const span = otel.startSpan(name, { kind: KINDS[kind], attributes, startTime }, parent);
  return span.isRecording() ? new RecordedSpan(otel, span) : new UnrecordedSpan(traceparentOf(span));
}

function traceparentOf(span: SdkSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return writeTraceparent({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
}

class RecordedSpan implements Span {
  readonly #otel: OtelTracer;
  readonly #span: SdkSpan;

  constructor(otel: OtelTracer, span: SdkSpan) {
    this.#otel = otel;
    this.#span = span;
  }

  get traceparent(): string {
    return traceparentOf(this.#span);
  }

  child(name: string, options?: SpanOptions): Span {
    return begin(this.#otel, trace.setSpan(ROOT_CONTEXT, this.#span), name, options);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(error: unknown): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', kindOf(error));
  }

  end(endedAtMs = nowMs()): void {
    this.#span.end(endedAtMs);
  }
}

/**
 * A span of a trace that is not recorded. It passes its context on, so that no later process records the trace. A
 * child of this span is the span itself.
 */
class UnrecordedSpan implements Span {
  readonly traceparent: string;

  constructor(traceparent: string) {
    this.traceparent = traceparent;
  }

  child(): Span {
    return this;
  }

  set(): void {}
  fail(): void {}
  end(): void {}
}

function kindOf(error: unknown): string {
  if (error instanceof MandateError) return error.code;
  return error instanceof Error ? error.name : 'error';
}
