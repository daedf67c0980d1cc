/**
 * The port of traces. The parts of Mandate describe their work for a request in spans, so that one trace id shows the
 * whole path of the request. @mandate/server implements the port with OpenTelemetry. Without traces the tracer is
 * `null`, and `tracer?.begin(…)` does not even evaluate its arguments.
 *
 * A span contains ids, verdicts, amounts and log positions, and never the content that an agent sent. No method
 * throws or waits. Spans that cannot be delivered are dropped and counted.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanOptions = {
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** The start time, from `nowMs`. Default: now. */
  beganAtMs?: number;
};

/** One piece of work. A span that is not ended is never sent. */
export type Span = {
  /**
   * The W3C trace context to pass on. A span with this context as its parent, in any process, is a child of this
   * span.
   */
  readonly traceparent: string;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /**
   * Marks the span as failed, with the code of the error. The message is left out, because it may contain content of
   * agents.
   */
  fail(error: unknown): void;
  /** @param endedAtMs from `nowMs`; default: now */
  end(endedAtMs?: number): void;
};

export type Tracer = {
  /**
   * Begins a child span of `parent`, a W3C `traceparent`, which says if the trace is recorded. Without a readable
   * parent it begins a new trace, which is recorded with the probability `OTLP_TRACE_RATIO`. A span that is not
   * recorded costs little, and its context is passed on too.
   */
  begin(name: string, parent: string | null, options?: SpanOptions): Span;
};

let originMs = performance.timeOrigin;
const DRIFT_MS = 10;

/**
 * Returns the time for all spans: milliseconds since 1970, with fractions, which the system clock lacks. It is
 * corrected when it has drifted from the system clock, as in a process that runs for days.
 */
export function nowMs(): number {
  const sinceStartMs = performance.now();
  const driftMs = Date.now() - (originMs + sinceStartMs);
  if (Math.abs(driftMs) > DRIFT_MS) originMs += driftMs;
  return originMs + sinceStartMs;
}
