/**
 * Work that is done once for many records, such as a step of the ledger for a batch. Every record has a span of its own
 * for it, with the times of the one call: whoever follows an action opens one trace and finds its whole way there. One
 * span for all, linked to the records, would lie in a trace that nobody opens. How many shared the call, an attribute says.
 */
import { nowMs, type Span, type SpanOptions } from './tracer.ts';

/** What is not traced is undefined, and stays so. */
export type Spans = readonly (Span | undefined)[];

/** Below each of them one for the same piece of work. */
export function beginTogether(parents: Spans, name: string, options: SpanOptions): Spans {
  const shared = { ...options, beganAtMs: nowMs() };
  return parents.map((parent) => parent?.child(name, shared));
}

/** Does the work, and ends the spans with it; where it fails, they have failed. */
export async function during<T>(spans: Spans, work: () => Promise<T>): Promise<T> {
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
