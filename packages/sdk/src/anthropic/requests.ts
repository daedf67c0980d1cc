/** Reads a request to the Messages API, and estimates its input. */
import { tokensOfText } from '../adapters/estimate-tokens.ts';
import { fieldsOfJson } from '../adapters/read-json.ts';
import { isCount } from '../adapters/token-usage.ts';

/** A request to the Messages API, as the client is about to send it. */
export type MessageRequest = {
  readonly model: string;
  /** The most tokens of the answer. Absent: the request states none. */
  readonly maxTokens?: number;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
};

/** Returns the request. A body that cannot be read asks for the model "", so that it is decided like an unknown model. */
export function messageRequestOf(json: unknown): MessageRequest {
  const body = typeof json === 'string' ? fieldsOfJson(json) : {};
  const { model, max_tokens } = body;
  return {
    model: typeof model === 'string' ? model : '',
    ...(isCount(max_tokens) && { maxTokens: max_tokens }),
    body,
  };
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
  return tokensOfText(text) + images * IMAGE_TOKENS;
}

function isImage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { type, source } = value as { type?: unknown; source?: unknown };
  return type === 'image' && typeof source === 'object';
}
