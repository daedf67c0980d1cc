/**
 * What stands beside a record on the log: CloudEvents 1.0 attributes as its Kafka binding names them (binary mode: the
 * value is the record itself), and the W3C trace context of the request that it goes back to, so that one trace runs
 * from the caller to the decision.
 */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** Honoured only when it is well-formed: it comes from outside and is passed on. */
export function traceparentOf(headers: Readonly<Record<string, string>>): string | null {
  const { traceparent } = headers;
  return traceparent !== undefined && traceparent.length <= 256 && TRACEPARENT.test(traceparent)
    ? traceparent
    : null;
}

/** The trace id in a well-formed `traceparent`: 32 hexadecimal digits. */
export function traceIdIn(headers: Readonly<Record<string, string>>): string | null {
  return traceparentOf(headers)?.split('-')[1] ?? null;
}

const FINGERPRINT = 'mandate-fingerprint';

/** A keyed digest of what was redacted before the record was published; null where there is none, or none of that form. */
export function fingerprintIn(headers: Readonly<Record<string, string>>): string | null {
  const print = headers[FINGERPRINT];
  return print !== undefined && /^[0-9a-f]{64}$/.test(print) ? print : null;
}

/** @param source who writes it, such as `gateway` */
export function recordHeaders(
  { id, event }: { id: string; event: string },
  {
    source,
    traceparent,
    fingerprint = null,
  }: { source: string; traceparent: string | null; fingerprint?: string | null },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: id,
    ce_type: `mandate.${event}.v1`,
    ce_source: `/mandate/${source}`,
    ...(traceparent === null ? {} : { traceparent }),
    ...(fingerprint === null ? {} : { [FINGERPRINT]: fingerprint }),
  };
}
