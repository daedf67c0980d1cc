/** Converts the AI SDK's counts into tokens as Mandate counts them, and estimates the input of a call. */
import { tokensOfBytes, tokensOfText, usageOfCounts } from '../adapters/count-tokens.ts';
import { fieldsOf } from '../adapters/read-answers.ts';
import type { TokenUsage } from '../types.ts';

/** Returns the usage that a model of the specification v3 or v4 states. Null if it does not state all tokens. */
export function usageOf(stated: unknown): TokenUsage | null {
  const { inputTokens, outputTokens } = fieldsOf(stated);
  const input = fieldsOf(inputTokens);
  const output = fieldsOf(outputTokens);
  return usageOfCounts({
    inputTokens: input.total,
    cachedInputTokens: input.cacheRead,
    cacheWriteTokens: input.cacheWrite,
    outputTokens: output.total,
    reasoningTokens: output.reasoning,
  });
}

/** The most tokens that a provider counts for one image, rounded up. */
const IMAGE_TOKENS = 5_000;

/** Returns an estimate of the input tokens that is rather too high than too low. An image costs a fixed number. */
export function estimatedInputTokens({ prompt, tools, responseFormat }: Record<string, unknown>): number {
  let tokens = 0;
  const text = JSON.stringify({ prompt, tools, responseFormat }, (_key, value: unknown) => {
    if (value instanceof Uint8Array) {
      tokens += tokensOfBytes(value.byteLength);
      return 'bytes';
    }
    if (!isImage(value)) return value;
    tokens += IMAGE_TOKENS;
    return 'image';
  });
  return tokens + tokensOfText(text);
}

function isImage(value: unknown): boolean {
  const { mediaType } = fieldsOf(value);
  return typeof mediaType === 'string' && mediaType.startsWith('image/');
}
