/** Reads the usage that OpenAI states, and what a stream has delivered so far. */
import { bytesOf, usageOfCounts } from '../adapters/count-tokens.ts';
import { type Fields, fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

/**
 * Returns the usage in the form of the SDK. OpenAI has two forms: chat completions and embeddings count
 * `prompt_tokens`, responses count `input_tokens`. Null if there is no usage, or if a number is no count.
 */
export function usageOf(value: unknown): TokenUsage | null {
  const stated = fieldsOf(value);
  const input = fieldsOf(stated.prompt_tokens_details ?? stated.input_tokens_details);
  const output = fieldsOf(stated.completion_tokens_details ?? stated.output_tokens_details);
  return usageOfCounts({
    inputTokens: stated.prompt_tokens ?? stated.input_tokens,
    cachedInputTokens: input.cached_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    outputTokens: stated.completion_tokens ?? stated.output_tokens ?? 0,
    reasoningTokens: output.reasoning_tokens,
  });
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
