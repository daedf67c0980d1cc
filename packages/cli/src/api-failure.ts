/** Failures of requests to a plane, as a command shows them: with an exit code, and with options and commands in the remedy. */
import type { ApiError, Fault, Service } from '@mandate/client';
import { CommandFailure } from './exit-codes.ts';
import { forPeople } from './output/for-people.ts';

export class ApiProblem extends CommandFailure {
  readonly status: number;
  readonly code: string;
  readonly faults: readonly Fault[];

  constructor(problem: {
    status: number;
    code: string;
    detail: string;
    remedy: string;
    faults: readonly Fault[];
  }) {
    const { status, code, detail, remedy, faults } = problem;
    super(MAY_PASS.has(status) || status >= 500 ? 1 : 2, `${detail} (${code})`, remedy);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

/** Returns the answer. Returns null if the plane refuses the request with this code. */
export async function nullIf<Answer>(code: string, request: Promise<Answer>): Promise<Answer | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiProblem && error.code === code) return null;
    throw error;
  }
}

/** Refusals that are not caused by the request: the same request may succeed later. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 409, 429]);

/** The service at this address does not have the route of the request. */
export class MissingRoute extends CommandFailure {}

export const HOW_TO_AUTHENTICATE =
  'Run `mandate login`, or set MANDATE_API_KEY. The first start of `mandate up` shows the first keys. `mandate keys issue` makes more keys.';

export function failureOf(error: ApiError): CommandFailure {
  const { reason, message, service, status, code } = error;
  switch (reason) {
    case 'refused': {
      const remedy = status === 401 ? HOW_TO_AUTHENTICATE : forPeople(error.remedy);
      const detail = forPeople(message);
      return new ApiProblem({ status: status ?? 0, code: code ?? '', detail, remedy, faults: error.faults });
    }
    case 'no-route':
      return new MissingRoute(1, message, HOW_TO_FIND[service]);
    case 'not-a-plane':
      return new CommandFailure(1, message, 'Name the plane with --url or MANDATE_URL, or log in to it.');
    case 'unreachable':
      return new CommandFailure(
        1,
        message,
        'Start it with `mandate up`, or name its address with --url or MANDATE_URL.',
      );
    case 'timed-out':
      return new CommandFailure(1, message, error.remedy);
  }
}

const ITS_OWN = 'in a plane of several processes it has its own address';
const HOW_TO_FIND: Readonly<Record<Service, string>> = {
  gateway:
    'Name the gateway with --url or MANDATE_URL, and the query service with --query-url or MANDATE_QUERY_URL.',
  query: `Name the query service with --query-url or MANDATE_QUERY_URL: ${ITS_OWN}.`,
  alerter: `Name the alerter with --alerter-url or MANDATE_ALERTER_URL: ${ITS_OWN}.`,
  control: `Name the control service with --control-url or MANDATE_CONTROL_URL: ${ITS_OWN}.`,
  runner: `Name the runner with --runner-url or MANDATE_RUNNER_URL: ${ITS_OWN}.`,
};
