/** Why a tool gave no result, and whether it may have run. */
import { isUnsent } from '@mandate/runtime';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

type Facts = { kind: 'transient' | 'permanent'; cause?: unknown };

/** The tool was certainly not called. */
export class ToolUnavailable extends Error {
  readonly code: string;
  readonly kind: 'transient' | 'permanent';
  readonly retryAfterMs: undefined;

  constructor(code: string, message: string, { kind, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ToolUnavailable';
    this.code = code;
    this.kind = kind;
  }
}

/** The tool may have been called, and its result is unknown. */
export class ToolUncertain extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ToolUncertain';
  }
}

const NEEDS_PERSON: ReadonlySet<unknown> = new Set([
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
]);

/** Returns the result of a call that its server has answered with an error. Null: the server has not answered so. */
export function resultOfError(
  error: unknown,
): { content: [{ type: 'text'; text: string }]; isError: true } | null {
  const said = (text: string) => ({
    content: [{ type: 'text' as const, text }] as [{ type: 'text'; text: string }],
    isError: true as const,
  });
  if (error instanceof ProtocolError)
    return said(`The server refused the call (${error.code}): ${error.message}`);
  if (!(error instanceof SdkError) || !NEEDS_PERSON.has(error.code)) return null;
  return said('The tool asks a person for further input, and no person can answer during a run.');
}

const UNSENT_BY_SDK: ReadonlySet<unknown> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

/** Returns the meaning of a failed call. If nothing is certain, the call may have run. */
export function failureOfCall(server: string, error: unknown): ToolUnavailable | ToolUncertain {
  const said = error instanceof Error ? error.message.slice(0, 500) : String(error);
  const message = `The server "${server}" gave no result: ${said}`;
  if (error instanceof SdkHttpError) {
    const { status } = error;
    const isRefused = status >= 400 && status < 500 && status !== 408;
    if (!isRefused) return new ToolUncertain(message, error);
    // A server that no longer knows the session answers 404 or 400. The next call opens another session.
    const mayPass = status === 400 || status === 404 || status === 425 || status === 429;
    const kind = mayPass ? 'transient' : 'permanent';
    return new ToolUnavailable('TOOL_SERVER_REFUSED', message, { kind, cause: error });
  }
  const neverSent = error instanceof SdkError ? UNSENT_BY_SDK.has(error.code) : isUnsent(error);
  if (!neverSent) return new ToolUncertain(message, error);
  return new ToolUnavailable('TOOL_SERVER_UNAVAILABLE', message, { kind: 'transient', cause: error });
}

/** True if the connection or its session may have ended. After a call that took too long, both still exist. */
export function mayBeLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 400 || error.status === 404;
  return !(error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout);
}
