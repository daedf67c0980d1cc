/** A call of a model that ran and failed, or that gave an unusable answer. */
type Facts = { kind: 'transient' | 'permanent'; retryAfterMs?: number | undefined; cause?: unknown };

export class ModelFailed extends Error {
  readonly code: string;
  readonly kind: 'transient' | 'permanent';
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, { kind, retryAfterMs, cause }: Facts) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ModelFailed';
    this.code = code;
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The fields that the errors of both providers have. `status` is undefined if there was no answer. */
type ProviderError = Error & { status: number | undefined; headers: Headers | undefined };

const LONGEST_MESSAGE = 500;

/** Returns the meaning of an error of a provider's SDK for the step. */
export function failureOfProvider(provider: string, error: ProviderError): ModelFailed {
  const { status, headers } = error;
  const said = error.message.slice(0, LONGEST_MESSAGE);
  if (status === undefined) {
    const message = `The provider "${provider}" did not answer: ${said}`;
    return new ModelFailed('MODEL_UNAVAILABLE', message, { kind: 'transient', cause: error });
  }
  const mayPass = status === 408 || status === 409 || status === 429 || status >= 500;
  return new ModelFailed(
    mayPass ? 'MODEL_UNAVAILABLE' : 'MODEL_REFUSED_REQUEST',
    `The provider "${provider}" answered with status ${status}: ${said}`,
    { kind: mayPass ? 'transient' : 'permanent', retryAfterMs: retryAfterOf(headers), cause: error },
  );
}

const LONGEST_WAIT_MS = 3_600_000;

function retryAfterOf(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  const stated = Number.isFinite(ms) ? ms : seconds * 1000;
  return stated > 0 ? Math.min(Math.ceil(stated), LONGEST_WAIT_MS) : undefined;
}
