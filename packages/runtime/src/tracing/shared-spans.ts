/**
 * Spans of work that one call does for many records, such as a step of the ledger for a batch. Each record has its
 * own span, with the times of the shared call. So the trace of each action shows this work. An attribute says how
 * many records shared the call.
 */
import { nowMs, type Span, type SpanOptions } from './tracer.ts';

/** The spans by record. Undefined for a record that is not traced. */
export type Spans = readonly (Span | undefined)[];

/** Begins a child span for each parent. All of them describe the same work. */
export function beginTogether(parents: Spans, name: string, options: SpanOptions): Spans {
  if (!parents.some(isTraced)) return parents;
  const shared = { ...options, beganAtMs: nowMs() };
  return parents.map((parent) => parent?.child(name, shared));
}

/**
 * Runs the work, and then ends the spans. If the work fails, it marks the spans as failed and throws the same error.
 */
export function withSpans<T>(spans: Spans, work: () => Promise<T>): Promise<T> {
  return spans.some(isTraced) ? endWith(spans, work) : work();
}

function isTraced(span: Span | undefined): boolean {
  return span !== undefined;
}

async function endWith<T>(spans: Spans, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const span of spans) span?.fail(error);
    throw error;
  } finally {
    const endedAtMs = nowMs();
    for (const span of spans) span?.end(endedAtMs);
  }
}
