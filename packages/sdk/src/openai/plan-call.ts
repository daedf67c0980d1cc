/** Makes an LLM call of a request: its model, and the most tokens that it can be billed for. */
import { bytesOf, tokensOfBytes } from '../model-calls/estimate-tokens.ts';
import type { WrapOpenAIOptions } from './options.ts';
import type { ReplyKind } from './paths.ts';
import { fieldsOf } from './token-usage.ts';

/** The options of a request, as OpenAI's SDK hands them to its own `makeRequest`. */
export type RequestOptions = {
  method: string;
  path: string;
  body?: unknown;
  signal?: AbortSignal | null;
  fetchOptions?: object;
};

export type PlannedCall = {
  kind: ReplyKind;
  model: string;
  inputTokens: number;
  maxOutputTokens: number | undefined;
  isStream: boolean;
  /** The body to send. */
  body: unknown;
  /** The caller did not ask for usage in the stream, so the caller must not see it. */
  hidesUsage: boolean;
};

/** A reservation needs a bound. Most replies are shorter, and a longer one is charged in full when it has ended. */
const DEFAULT_MAX_OUTPUT_TOKENS = 4_096;

export async function planCall(
  { path, body: given }: RequestOptions,
  kind: ReplyKind,
  options: WrapOpenAIOptions,
): Promise<PlannedCall> {
  // The SDK sends a text as it is.
  const body = fieldsOf(typeof given === 'string' ? parsed(given) : given);
  const model = typeof body.model === 'string' ? body.model : '';
  const hidesUsage = mustAskForUsage(kind, body, options);
  const asked = hidesUsage
    ? { ...body, stream_options: { ...fieldsOf(body.stream_options), include_usage: true } }
    : given;
  return {
    kind,
    model,
    inputTokens: Math.max(1, (await options.countTokens?.({ path, model, body })) ?? estimatedInput(body)),
    maxOutputTokens: kind === 'embeddings' ? 0 : maxOutput(body, options.maxOutputTokens),
    isStream: body.stream === true,
    body: hidesUsage && typeof given === 'string' ? JSON.stringify(asked) : asked,
    hidesUsage,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Streams of these kinds state their usage only if the request asks for it. */
function mustAskForUsage(
  kind: ReplyKind,
  { stream, stream_options }: Readonly<Record<string, unknown>>,
  { includeUsage = true }: WrapOpenAIOptions,
): boolean {
  if (!includeUsage || stream !== true || (kind !== 'chat' && kind !== 'completions')) return false;
  return fieldsOf(stream_options).include_usage !== true;
}

/** The whole body counts: messages, tools, schemas, and images as the text that encodes them. */
function estimatedInput(body: Readonly<Record<string, unknown>>): number {
  const tokens = tokensOfBytes(bytesOf(JSON.stringify(body)));
  return Math.max(tokens, numbersIn(body.input) + numbersIn(body.prompt));
}

/** A prompt may be a list of tokens, or several of them. */
function numbersIn(prompt: unknown): number {
  if (!Array.isArray(prompt)) return 0;
  return prompt.reduce((sum: number, one) => sum + (typeof one === 'number' ? 1 : numbersIn(one)), 0);
}

function maxOutput(
  body: Readonly<Record<string, unknown>>,
  fallback: number | null = DEFAULT_MAX_OUTPUT_TOKENS,
): number | undefined {
  const stated = [body.max_completion_tokens, body.max_tokens, body.max_output_tokens].filter(isCount);
  const each = stated.length > 0 ? Math.max(...stated) : fallback;
  if (each === null) return undefined;
  const choices = [body.n, body.best_of].filter(isCount);
  return Math.min(each * Math.max(1, ...choices), Number.MAX_SAFE_INTEGER);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
