/** Who reads what others did, or what is sealed, is on record before it is shown: as under /v1/audit. */
import { redactPieces } from '@mandate/privacy';
import { callerOf } from '@mandate/runtime';
import type { Gateway } from './gateway.ts';

type Request = Parameters<typeof callerOf>[0];

/** Resolves once it is on record that the caller asks for this. Throws READ_NOT_RECORDED. */
export function recordReading(
  { recordRead }: Pick<Gateway, 'recordRead'>,
  request: Request,
  parameters: Readonly<Record<string, string | string[]>> = askedIn(request),
): Promise<void> {
  const { id, name, tenant } = callerOf(request);
  return recordRead(
    {
      tenant,
      key: { id, name },
      method: request.method,
      route: request.routeOptions.url ?? '',
      parameters,
      refused: false,
      requestId: request.id,
    },
    request.traceparent,
  );
}

/** As under /v1/audit: what is longer is cut. */
const LONGEST_VALUE = 256;

/** Of path and query, without what is personal in it. */
function askedIn(request: Request): Record<string, string> {
  const asked = { ...(request.query as object), ...(request.params as object) };
  return Object.fromEntries(
    Object.entries(asked).map(([parameter, value]) => [
      parameter,
      redactPieces(String(value)).slice(0, LONGEST_VALUE).toWellFormed(),
    ]),
  );
}
