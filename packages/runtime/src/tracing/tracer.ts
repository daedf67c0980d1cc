/**
 * The port of traces: what the parts of Mandate say about the work they do for one request, so that its whole way can be
 * seen under one trace id. Where traces are off there is no tracer (`null`), and `tracer?.begin(…)` costs the question:
 * its arguments are not even made.
 *
 * A span never holds what an agent sent: ids, verdicts, amounts and places on the log, and nothing else. Nothing here
 * throws, and nothing waits: what cannot be delivered is dropped, and counted.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanOptions = {
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** When it began, as `nowMs` gives it; now, when absent. */
  beganAtMs?: number;
};

/** A piece of work under way. What is never ended is never delivered. */
export type Span = {
  /** The W3C trace context to hand on: what begins from it, in whichever process, is a child of this span. */
  readonly traceparent: string;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** Marks it as failed, with the code of the error: a message might hold what was sent. */
  fail(error: unknown): void;
  /** @param endedAtMs as `nowMs` gives it; now, when absent */
  end(endedAtMs?: number): void;
};

export type Tracer = {
  /**
   * A span below `parent`, a W3C `traceparent`, recorded if that says so; where there is none, or none that can be read, a
   * new trace, recorded by chance (see `OTLP_TRACE_RATIO`). One that is not recorded costs little and is handed on too.
   */
  begin(name: string, parent: string | null, options?: SpanOptions): Span;
};

let originMs = performance.timeOrigin;
const DRIFT_MS = 10;

/**
 * The time of all spans: milliseconds since 1970, with the fractions that the system's own clock lacks. It is set again
 * where the two have drifted apart, as they do in a process that lives for days.
 */
export function nowMs(): number {
  const sinceStartMs = performance.now();
  const driftMs = Date.now() - (originMs + sinceStartMs);
  if (Math.abs(driftMs) > DRIFT_MS) originMs += driftMs;
  return originMs + sinceStartMs;
}
