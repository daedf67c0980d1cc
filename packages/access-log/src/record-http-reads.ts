/**
 * Records reads over HTTP before they are answered: the caller, the question, and whether the key sufficed. Each read counts
 * for the limit of its key. Requests without a valid key and requests beyond a limit are only counted. Their record follows
 * soon after.
 */

import { type Logger, sharedByRequests } from '@mandate/runtime';
import type { AuditRead } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import type { Read } from './access-record.ts';
import { countRefusals } from './count-refusals.ts';
import { recordReads } from './record-reads.ts';

type Request = Parameters<typeof callerOf>[0];
type Asked = AuditRead['parameters'];

export type HttpReads = {
  /**
   * Resolves once it is on record that the caller asks for this.
   *
   * @param asked of path and query, without what is personal in it, where nothing is given
   * @throws MandateError READ_NOT_RECORDED, and HttpProblem 429 TOO_MANY_READS
   */
  readonly recordRead: (request: Request, asked?: Asked) => Promise<void>;
  /**
   * Whoever is turned away at the routes of this plugin is on record too: 403, for want of a scope, or as it asks for what is
   * another tenant's or another agent's; 401, without a key that opens anything; 409, as its tenant is closed. Those beyond
   * a limit (429) are counted. Call it once, before any route is added.
   *
   * @param asked as above
   */
  readonly recordRefusals: (server: HttpServer, asked?: Asked) => void;
  /** Both, of every request: one hook in front of all routes that are added from here on, so that none can forget it. */
  readonly recordAll: (server: HttpServer) => void;
};

/** For who asks, and not for what is asked: others of the same status may be let in. */
function isTurnedAway(error: unknown): error is HttpProblem {
  if (!(error instanceof HttpProblem)) return false;
  return error.status === 401 || error.status === 403 || error.code === 'TENANT_CLOSED';
}

/** A question counts as one read for each KiB of its JSON. */
const UNITS_OF_A_READ = 1_024;

/** What is longer is cut: whose record was looked for is told by less. */
const LONGEST_VALUE = 256;

/**
 * @param log is told where refusals come to be on no record
 * @param redactText takes what is personal out of a text
 */
export function recordHttpReads({
  log,
  redactText,
  ...options
}: Parameters<typeof recordReads>[0] & { log: Logger; redactText: (text: string) => string }): HttpReads {
  const { record } = sharedByRequests({ record: recordReads(options) });
  const counted = sharedByRequests(countRefusals({ ...options, log }));
  // Redacted first: half of what is personal might not be known for it.
  const tellable = (text: unknown) => cut(redactText(String(text)));

  async function recordRead(request: Request, asked: Asked = askedIn(request, tellable)): Promise<void> {
    request.spend('reads', { records: readsIn(asked) });
    await record(readOf(request, callerOf(request), asked, null), request.traceparent);
  }

  /** A caller that is turned away waits for the record. If a key is turned away too often, the refusal is only counted. */
  async function recordTurnedAway(request: Request, code: string, asked?: Asked): Promise<void> {
    if (request.principalKey === null) counted.note(readOf(request, request.namedKey, {}, code));
    else if (!request.trySpend('reads', { records: 1 }))
      counted.note(readOf(request, request.principalKey, {}, code));
    else {
      const told = asked ?? askedIn(request, tellable);
      await record(readOf(request, request.principalKey, told, code), request.traceparent);
    }
  }

  function recordRefusals(server: HttpServer, asked?: Asked): void {
    // Whatever is thrown here goes on to the handler of the server, and is the answer: that it is not on record, too.
    server.setErrorHandler(async (error, request) => {
      if (isTurnedAway(error)) await recordTurnedAway(request, error.code, asked);
      if (isBeyondLimit(error)) {
        const by = request.principalKey ?? request.namedKey;
        counted.note(readOf(request, by, agentIn(error), error.code));
      }
      throw error;
    });
    server.addHook('onClose', counted.close);
  }
  return {
    recordRead,
    recordRefusals,
    recordAll(server) {
      server.addHook('onRequest', (request) => recordRead(request));
      recordRefusals(server);
    },
  };
}

function isBeyondLimit(error: unknown): error is HttpProblem {
  return error instanceof HttpProblem && error.status === 429;
}

/** The agent, if the limit of one agent refused the request. */
function agentIn({ extension: { agentId } }: HttpProblem): Asked {
  return typeof agentId === 'string' ? { agent: agentId } : {};
}

function readsIn(asked: Asked): number {
  return Math.ceil(JSON.stringify(asked).length / UNITS_OF_A_READ);
}

function readOf(request: Request, by: Request['namedKey'], parameters: Asked, code: string | null): Read {
  const { method, routeOptions, id: requestId } = request;
  const tenant = by?.tenant ?? null;
  const key = by && { id: by.id, name: by.name };
  const route = routeOptions.url ?? '';
  return { tenant, key, method, route, parameters, refused: code !== null, ...(code && { code }), requestId };
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
