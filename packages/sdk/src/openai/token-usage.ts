/** Reads the usage that OpenAI states, and what a stream has delivered so far. */
import { bytesOf } from '../model-calls/estimate-tokens.ts';
import type { TokenUsage } from '../types.ts';

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/**
 * Returns the usage in the form of the SDK. OpenAI has two forms: chat completions and embeddings count `prompt_tokens`,
 * responses count `input_tokens`. Null if there is none, or if a number is no count.
 */
export function readUsage(value: unknown): TokenUsage | null {
  const stated = fieldsOf(value);
  const inputTokens = stated.prompt_tokens ?? stated.input_tokens;
  const outputTokens = stated.completion_tokens ?? stated.output_tokens ?? 0;
  if (!isCount(inputTokens) || !isCount(outputTokens)) return null;
  const input = fieldsOf(stated.prompt_tokens_details ?? stated.input_tokens_details);
  const output = fieldsOf(stated.completion_tokens_details ?? stated.output_tokens_details);
  return {
    inputTokens,
    outputTokens,
    ...counted('cachedInputTokens', input.cached_tokens, inputTokens),
    ...counted('cacheWriteTokens', input.cache_write_tokens, inputTokens),
    ...counted('reasoningTokens', output.reasoning_tokens, outputTokens),
  };
}

/** A part of the tokens. It is left out if it is no count, or more than all of them. */
function counted(name: keyof TokenUsage, value: unknown, most: number): Partial<TokenUsage> {
  return isCount(value) && value > 0 && value <= most ? { [name]: value } : {};
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns the bytes of text, reasoning and tool calls in one event of a stream. */
export function deliveredBytes(event: unknown): number {
  const { type, delta, item, choices } = fieldsOf(event);
  if (Array.isArray(choices)) {
    return choices.reduce((sum: number, choice) => sum + bytesOfChoice(fieldsOf(choice)), 0);
  }
  if (typeof delta === 'string') return bytesOf(delta);
  return type === 'response.output_item.added' ? bytesOfTexts(fieldsOf(item), ['name']) : 0;
}

function bytesOfChoice({ delta, text }: Fields): number {
  const fields = fieldsOf(delta);
  const calls = Array.isArray(fields.tool_calls) ? fields.tool_calls : [];
  return (
    (typeof text === 'string' ? bytesOf(text) : 0) +
    bytesOfTexts(fields, ['content', 'refusal', 'reasoning', 'reasoning_content']) +
    [fieldsOf(fields.function_call), ...calls.map((call) => fieldsOf(fieldsOf(call).function))].reduce(
      (sum, call) => sum + bytesOfTexts(call, ['name', 'arguments']),
      0,
    )
  );
}

function bytesOfTexts(fields: Fields, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const text = fields[name];
    return sum + (typeof text === 'string' ? bytesOf(text) : 0);
  }, 0);
}
