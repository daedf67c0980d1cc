/** Reads the LLM call of a request: its model, and the maximum number of tokens that it can be billed for. */
import { countedTokens, isCount, maxOutputOf, tokensOfText } from '../adapters/count-tokens.ts';
import { type Fields, fieldsOf, fieldsOfJson } from '../adapters/read-answers.ts';
import type { OpenAIOptions } from './options.ts';
import type { ReplyKind } from './paths.ts';

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
  maxOutputTokens?: number;
  isStream: boolean;
  /** The body to send. */
  body: unknown;
  /** The caller did not ask for usage in the stream, so the caller must not see it. */
  hidesUsage: boolean;
};

/** @throws MandateBlockedError INTERNAL_ERROR: the tokens could not be counted */
export async function planCall(
  { path, body: given }: RequestOptions,
  kind: ReplyKind,
  { agentId, options }: { agentId: string; options: OpenAIOptions },
): Promise<PlannedCall> {
  // The SDK sends a text as it is.
  const body = typeof given === 'string' ? fieldsOfJson(given) : fieldsOf(given);
  const model = typeof body.model === 'string' ? body.model : '';
  const hidesUsage = mustAskForUsage(kind, body, options);
  const asked = hidesUsage
    ? { ...body, stream_options: { ...fieldsOf(body.stream_options), include_usage: true } }
    : given;
  const count = () => options.countTokens?.({ path, model, body }) ?? estimatedInput(body);
  return {
    kind,
    model,
    inputTokens: await countedTokens(count, { agentId, model }),
    ...(kind === 'embeddings' ? { maxOutputTokens: 0 } : maxOutput(body, options)),
    isStream: body.stream === true,
    body: hidesUsage && typeof given === 'string' ? JSON.stringify(asked) : asked,
    hidesUsage,
  };
}

/** Streams of these kinds state their usage only if the request asks for it. */
function mustAskForUsage(
  kind: ReplyKind,
  { stream, stream_options }: Fields,
  { includeUsage = true }: OpenAIOptions,
): boolean {
  if (!includeUsage || stream !== true || (kind !== 'chat' && kind !== 'completions')) return false;
  return fieldsOf(stream_options).include_usage !== true;
}

/** The whole body counts: messages, tools, schemas, and images as the text that encodes them. */
function estimatedInput(body: Fields): number {
  const tokens = tokensOfText(JSON.stringify(body));
  return Math.max(tokens, numbersIn(body.input) + numbersIn(body.prompt));
}

/** A prompt may be a list of tokens, or several of them. */
function numbersIn(prompt: unknown): number {
  if (!Array.isArray(prompt)) return 0;
  return prompt.reduce((sum: number, one) => sum + (typeof one === 'number' ? 1 : numbersIn(one)), 0);
}

/** Each choice of a reply may have as many tokens as the request allows. */
function maxOutput(body: Fields, options: OpenAIOptions): { maxOutputTokens?: number } {
  const stated = [body.max_completion_tokens, body.max_tokens, body.max_output_tokens].filter(isCount);
  const { maxOutputTokens: each } = maxOutputOf(stated.length > 0 ? Math.max(...stated) : undefined, options);
  if (each === undefined) return {};
  const choices = Math.max(1, ...[body.n, body.best_of].filter(isCount));
  return { maxOutputTokens: Math.min(each * choices, Number.MAX_SAFE_INTEGER) };
}
