/**
 * Whoever holds a key and asks the audit is on record before anything is read for them, let alone shown: who, what, and
 * whether the key sufficed. One hook in front of all routes of the plugin, so that none can forget it.
 *
 * Not on record: who has no key, and what a key asked beyond its rate (429): neither was shown anything, and either may be
 * a flood.
 */
import type { RecordRead } from '@mandate/bus';
import { callerOf, type HttpServer } from '@mandate/runtime';
import type { AuditRead } from '@mandate/schemas';

/** Takes what is personal out of a text. */
type RedactText = (text: string) => string;

/** What is longer is cut: whose record was looked for is told by less. */
const LONGEST_VALUE = 256;

type Request = Parameters<typeof callerOf>[0];

export function recordReadsOf(server: HttpServer, record: RecordRead, redactText: RedactText): void {
  const seen = new WeakSet<Request>();
  const put = (request: Request, refused: boolean) => {
    seen.add(request);
    return record(readOf(request, refused, redactText), request.traceparent);
  };
  server.addHook('onRequest', (request) => put(request, false));
  // A key without the scope is turned away before the hook above is reached.
  server.addHook('onSend', async (request, reply) => {
    const isRefusedKey = request.principalKey !== null && reply.statusCode === 403;
    if (isRefusedKey && !seen.has(request)) await put(request, true);
  });
}

function readOf(request: Request, refused: boolean, redactText: RedactText): Parameters<RecordRead>[0] {
  const { id, name, tenant } = callerOf(request);
  // Redacted first: half of what is personal might not be known for it.
  const tellable = (text: unknown) => cut(redactText(String(text)));
  const asked = { ...(request.query as object), ...(request.params as object) };
  return {
    tenant,
    key: { id, name },
    method: request.method,
    route: request.routeOptions.url ?? '',
    parameters: Object.fromEntries(
      Object.entries(asked).map(([parameter, value]): [string, AuditRead['parameters'][string]] => [
        tellable(parameter),
        Array.isArray(value) ? value.map(tellable) : tellable(value),
      ]),
    ),
    refused,
    requestId: request.id,
  };
}

function cut(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}
