/** W3C Trace Context: the header that passes a trace from one process to the next. */

/** For an unknown version only the known part is read. Ids with zeros only, and version ff, are invalid. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

const SAMPLED = 1;

export type TraceContext = { traceId: string; spanId: string; isSampled: boolean };

export function readTraceparent(traceparent: string): TraceContext | null {
  const [, traceId, spanId, flags = '0'] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
