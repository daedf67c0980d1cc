/**
 * Records each read over HTTP before the service answers it: the caller, the question, and whether the key had the
 * permission. Each read counts for the limit of its key. Requests without a valid key and requests beyond a limit are
 * only counted. Their record follows soon after.
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
   * Resolves once the read is on the log.
   *
   * @param asked what the caller asks for; by default the parameters of path and query, redacted
   * @throws MandateError READ_NOT_RECORDED, and HttpProblem 429 TOO_MANY_READS
   */
  readonly recordRead: (request: Request, asked?: Asked) => Promise<void>;
  /**
   * Records refused requests at the routes of this plugin: 403 for a missing scope, another tenant or another agent;
   * 401 without a valid key; 409 if the tenant is closed. Requests beyond a limit (429) are counted. Call it once,
   * before any route is added.
   *
   * @param asked what the caller asks for, as in `recordRead`
   */
  readonly recordRefusals: (server: HttpServer, asked?: Asked) => void;
  /**
   * One hook records every read and every refusal of all routes that are added later. So no route can forget the
   * recording.
   */
  readonly recordAll: (server: HttpServer) => void;
};

/** True if the request was refused because of its caller: no valid key, no permission, or a closed tenant. */
function isTurnedAway(error: unknown): error is HttpProblem {
  if (!(error instanceof HttpProblem)) return false;
  return error.status === 401 || error.status === 403 || error.code === 'TENANT_CLOSED';
}

/** The length of a question's JSON that counts as one read. */
const UNITS_OF_A_READ = 1_024;

/**
 * The maximum length of a parameter in a record. Longer values are cut, but still show which record the caller looked
 * for.
 */
const LONGEST_VALUE = 256;

/**
 * @param log gets a warning about refusals that have no record
 * @param redactText removes personal data from a text
 */
export function recordHttpReads({
  log,
  redactText,
  ...options
}: Parameters<typeof recordReads>[0] & { log: Logger; redactText: (text: string) => string }): HttpReads {
  const { record } = sharedByRequests({ record: recordReads(options) });
  const counted = sharedByRequests(countRefusals({ ...options, log }));
  // Personal data is removed before the text is cut, because half of a personal value may not be recognized.
  const tellable = (text: unknown) => cut(redactText(String(text)));

  async function recordRead(request: Request, asked: Asked = askedIn(request, tellable)): Promise<void> {
    request.spend('reads', { records: readsIn(asked) });
    await record(readOf(request, callerOf(request), asked, null), request.traceparent);
  }

  /**
   * A refused caller waits until the refusal is recorded. If a key is refused too often, the refusal is only counted.
   */
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
    // If the refusal cannot be recorded, this handler throws. Then the caller gets that error instead of the refusal.
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

/** Returns the agent as a parameter if the request exceeded a limit of one agent. Otherwise returns no parameters. */
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
