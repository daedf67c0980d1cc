/**
 * Reads over HTTP, on record before they are answered: who asked for what, and whether the key sufficed.
 *
 * Not on record: who has no key, and what a key asked beyond its rate (429): neither was shown anything, and either may be
 * a flood.
 */
import { callerOf, HttpProblem, type HttpServer } from '@mandate/runtime';
import type { AuditRead } from '@mandate/schemas';
import { type RecordRead, recordReads } from './record-reads.ts';

type Request = Parameters<typeof callerOf>[0];
type Asked = AuditRead['parameters'];

export type HttpReads = {
  /**
   * Resolves once it is on record that the caller asks for this.
   *
   * @param asked of path and query, without what is personal in it, where nothing is given
   * @throws MandateError READ_NOT_RECORDED
   */
  readonly recordRead: (request: Request, asked?: Asked) => Promise<void>;
  /**
   * Whoever is turned away (403) at the routes of this plugin is on record too: for want of a scope, or as it asks for what is
   * another tenant's or another agent's. Call it once, before any route is added.
   *
   * @param asked as above
   */
  readonly recordRefusals: (server: HttpServer, asked?: Asked) => void;
  /** Both, of every request: one hook in front of all routes that are added from here on, so that none can forget it. */
  readonly recordAll: (server: HttpServer) => void;
};

/** What is longer is cut: whose record was looked for is told by less. */
const LONGEST_VALUE = 256;

/** @param redactText takes what is personal out of a text */
export function recordHttpReads({
  redactText,
  ...options
}: Parameters<typeof recordReads>[0] & { redactText: (text: string) => string }): HttpReads {
  const record = recordReads(options);
  // Redacted first: half of what is personal might not be known for it.
  const tellable = (text: unknown) => cut(redactText(String(text)));

  function put(request: Request, refused: boolean, asked: Asked = askedIn(request, tellable)): Promise<void> {
    return record(readOf(request, asked, refused), request.traceparent);
  }
  function recordRefusals(server: HttpServer, asked?: Asked): void {
    // Whatever is thrown here goes on to the handler of the server, and is the answer: that it is not on record, too.
    server.setErrorHandler(async (error, request) => {
      if (error instanceof HttpProblem && error.status === 403) await put(request, true, asked);
      throw error;
    });
  }
  return {
    recordRead: (request, asked) => put(request, false, asked),
    recordRefusals,
    recordAll(server) {
      server.addHook('onRequest', (request) => put(request, false));
      recordRefusals(server);
    },
  };
}

function readOf(request: Request, parameters: Asked, refused: boolean): Parameters<RecordRead>[0] {
  const { id, name, tenant } = callerOf(request);
  const { method, routeOptions } = request;
  const route = routeOptions.url ?? '';
  return { tenant, key: { id, name }, method, route, parameters, refused, requestId: request.id };
}

function askedIn(request: Request, tellable: (text: unknown) => string): Asked {
  const asked = { ...(request.query as object), ...(request.params as object) };
  return Object.fromEntries(
    Object.entries(asked).map(([parameter, value]) => [
      tellable(parameter),
      Array.isArray(value) ? value.map(tellable) : tellable(value),
    ]),
  );
}

function cut(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}
