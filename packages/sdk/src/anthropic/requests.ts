/** What a request of Anthropic's SDK is: an LLM call, work that is priced later, or free. */
import { bytesOf, tokensOfBytes } from '../model-calls/estimate-tokens.ts';
import { objectOf } from '../model-calls/read-events.ts';

/** A request to the Messages API, as the client is about to send it. */
export type MessageRequest = {
  readonly model: string;
  /** The most tokens of the answer. Absent: the request states none. */
  readonly maxTokens?: number;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
};

export type RequestKind =
  | { kind: 'message'; request: MessageRequest }
  /** A batch, or an agent that runs at Anthropic. */
  | { kind: 'priced later' }
  | { kind: 'free' };

/** The paths that start work. No answer states its price. */
const PRICED_LATER = [
  /\/messages\/batches$/,
  /\/v1\/sessions$/,
  /\/v1\/sessions\/[^/]+\/events$/,
  /\/v1\/deployments$/,
  /\/v1\/deployments\/[^/]+\/(run|unpause)$/,
  /\/v1\/dreams$/,
];

/**
 * Returns the kind of a request. A body that cannot be read is an LLM call of the model "", so that it is decided like
 * an unknown model.
 */
export function kindOf(url: string, method: string | undefined, body: unknown): RequestKind {
  if ((method ?? 'GET').toUpperCase() !== 'POST') return { kind: 'free' };
  const path = pathOf(url);
  if (PRICED_LATER.some((pattern) => pattern.test(path))) return { kind: 'priced later' };
  if (!path.endsWith('/messages')) return { kind: 'free' };
  const read = (typeof body === 'string' ? objectOf(body) : null) ?? {};
  const { model, max_tokens } = read;
  return {
    kind: 'message',
    request: {
      model: typeof model === 'string' ? model : '',
      ...(isCount(max_tokens) && { maxTokens: max_tokens }),
      body: read,
    },
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname.replace(/\/+$/, '');
}

/** The most tokens that Anthropic counts for one image, rounded up. */
const IMAGE_TOKENS = 5_000;

/**
 * Returns an estimate of the input tokens that is rather too high than too low. Images in the request cost a fixed
 * number of tokens, however many bytes they have.
 */
export function estimatedInputTokens({ body }: MessageRequest): number {
  let images = 0;
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (!isImage(value)) return value;
    images += 1;
    return 'image';
  });
  return tokensOfBytes(bytesOf(text)) + images * IMAGE_TOKENS;
}

function isImage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, source } = value as { type?: unknown; source?: unknown };
  return type === 'image' && typeof source === 'object';
}
