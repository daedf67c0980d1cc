/** Failures of requests to a plane, as a command shows them: with an exit code, and with options and commands in the remedy. */
import type { ApiError, Fault, Service } from '@mandate/client';
import { CommandFailure } from './exit-codes.ts';
import { forPeople } from './output/for-people.ts';

/** A refusal of the plane. */
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

/** Refusals that are not caused by the request: the same request may succeed later. */
const MAY_PASS: ReadonlySet<number> = new Set([408, 409, 429]);

/** The service at the address does not have the route. */
export class MissingRoute extends CommandFailure {}

export const HOW_TO_AUTHENTICATE =
  'Put one into MANDATE_API_KEY (`mandate up` shows the first ones, once; `mandate keys issue` makes more).';

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
      return new CommandFailure(1, message, 'Say where the plane is with --url or MANDATE_URL.');
    case 'unreachable':
      return new CommandFailure(
        1,
        message,
        'Start it with `mandate up`, or say where it is with --url or MANDATE_URL.',
      );
    case 'timed-out':
      return new CommandFailure(1, message, error.remedy);
  }
}

const ITS_OWN = 'on a plane of several processes it has an address of its own';
const HOW_TO_FIND: Readonly<Record<Service, string>> = {
  gateway:
    'Say where the gateway is with --url or MANDATE_URL, and where the query service is with --query-url or MANDATE_QUERY_URL.',
  query: `Say where the query service is with --query-url or MANDATE_QUERY_URL: ${ITS_OWN}.`,
  alerter: `Say where the alerter is with --alerter-url or MANDATE_ALERTER_URL: ${ITS_OWN}.`,
  control: `Say where the control service is with --control-url or MANDATE_CONTROL_URL: ${ITS_OWN}.`,
};
