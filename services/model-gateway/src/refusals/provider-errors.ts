/** Writes refusals in the shape of the provider's own errors, so that every SDK of the provider shows them. */
import type { HttpProblem } from '@mandate/server';
import type { ProtocolName } from '../models/models-shape.ts';

/** The refusal of a call: what it says, and what a program can read in it. */
export type Refusal = Pick<HttpProblem, 'status' | 'code' | 'message' | 'remedy' | 'extension'>;

/** OpenAI's names for the kinds of errors, by status. */
const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** @param requestId null inside of a stream. The headers of the stream have the id */
export function errorBody(protocol: ProtocolName, refusal: Refusal, requestId: string | null): object {
  const { status, code, remedy, extension } = refusal;
  const message = textOf(refusal);
  const mandate = { code, remedy, ...extension };
  if (protocol === 'anthropic') {
    const type = ANTHROPIC_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
    return { type: 'error', error: { type, message, mandate }, request_id: requestId };
  }
  const type = OPENAI_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param: null, code, mandate } };
}

/** Returns the last event of a stream that is stopped. */
export function errorEvent(protocol: ProtocolName, path: string, refusal: Refusal): string {
  if (protocol === 'openai' && path.startsWith('/responses')) {
    const { code, remedy, extension } = refusal;
    const mandate = { code, remedy, ...extension };
    const event = { type: 'error', code, message: textOf(refusal), param: null, sequence_number: 0, mandate };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  }
  const data = JSON.stringify(errorBody(protocol, refusal, null));
  return protocol === 'openai' ? `data: ${data}\n\n` : `event: error\ndata: ${data}\n\n`;
}

/** The SDKs show only the message, so it has the code and the remedy too. */
function textOf({ code, message, remedy }: Refusal): string {
  const said = message.startsWith(`${code}: `) ? message : `${code}: ${message}`;
  return said.endsWith(remedy) ? said : `${/[.!?]$/.test(said) ? said : `${said}.`} ${remedy}`;
}

/** The SDKs of both providers wait at most this long for `retry-after`. They ignore a longer wait, and retry early. */
const LONGEST_WAIT_MS = 60_000;

/** Returns the headers that tell an SDK whether to send the request again, and when. */
export function retryHeaders({ status, extension }: Refusal): Record<string, string> {
  const { retryAfterMs = null } = extension;
  const waitMs = typeof retryAfterMs === 'number' ? retryAfterMs : null;
  const mayPass = status === 429 || status === 408 || status >= 500;
  const isFinal = !mayPass || (status === 429 && (waitMs === null || waitMs > LONGEST_WAIT_MS));
  return {
    ...(isFinal && { 'x-should-retry': 'false' }),
    ...(waitMs !== null && {
      'retry-after': String(Math.ceil(waitMs / 1_000)),
      'retry-after-ms': String(Math.ceil(waitMs)),
    }),
  };
}
