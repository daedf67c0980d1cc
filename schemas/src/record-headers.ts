/**
 * The headers of a record on the log: CloudEvents 1.0 attributes and the W3C trace context of the request. The
 * attributes follow the Kafka binding in binary mode, so the value is the record itself. With the trace context, one
 * trace leads from the caller to the decision.
 */
import { z } from 'zod';
import type { Pinned } from './action.ts';
import { CAPS } from './defaults.ts';

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/**
 * Returns the header if it is well-formed, otherwise null. It must be checked, because it comes from outside and is
 * passed on.
 */
export function traceparentOf(headers: Readonly<Record<string, string>>): string | null {
  const { traceparent } = headers;
  return traceparent !== undefined && traceparent.length <= 256 && TRACEPARENT.test(traceparent)
    ? traceparent
    : null;
}

/** Returns the trace id of a well-formed `traceparent`: 32 hexadecimal digits. */
export function traceIdIn(headers: Readonly<Record<string, string>>): string | null {
  return traceparentOf(headers)?.split('-')[1] ?? null;
}

const FINGERPRINT = 'mandate-fingerprint';

/**
 * Returns the keyed digest of the data that was redacted before the record was published. Null if there is none, or
 * if it has another form.
 */
export function fingerprintIn(headers: Readonly<Record<string, string>>): string | null {
  const print = headers[FINGERPRINT];
  return print !== undefined && /^[0-9a-f]{64}$/.test(print) ? print : null;
}

const PINNED = 'mandate-pinned';
const pinnedHeader = z.strictObject({
  pinned: z
    .array(z.string().max(2 * CAPS.idUnits))
    .min(1)
    .max(CAPS.pins + 1),
  pinnedBy: z.string().regex(/^[0-9A-Za-z]{12}$/),
});

/**
 * Returns the names of the fields that the API key fixed, and the id of the key. The gateway wrote them into the
 * headers. Null if there are none, or if they have another form. Trust them only on a topic that callers do not write
 * themselves.
 */
export function pinnedIn(headers: Readonly<Record<string, string>>): Pinned | null {
  const text = headers[PINNED];
  if (text === undefined) return null;
  try {
    return pinnedHeader.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @param source the service that wrote the record, such as `gateway` */
export function recordHeaders(
  { id, event }: { id: string; event: string },
  {
    source,
    traceparent,
    fingerprint = null,
    pinned = null,
  }: { source: string; traceparent: string | null; fingerprint?: string | null; pinned?: Pinned | null },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: id,
    ce_type: `mandate.${event}.v1`,
    ce_source: `/mandate/${source}`,
    ...(traceparent === null ? {} : { traceparent }),
    ...(fingerprint === null ? {} : { [FINGERPRINT]: fingerprint }),
    ...(pinned === null ? {} : { [PINNED]: JSON.stringify(pinned) }),
  };
}
