/** Converts the AI SDK's counts into tokens as Mandate counts them, and estimates the input of a call. */
import { bytesOf, tokensOfBytes } from '../model-calls/estimate-tokens.ts';
import type { TokenUsage } from '../types.ts';

/** The counts of a model in the specifications v3 and v4. */
type StatedUsage = {
  inputTokens?: {
    total?: number | undefined;
    noCache?: number | undefined;
    cacheRead?: number | undefined;
    cacheWrite?: number | undefined;
  };
  outputTokens?: { total?: number | undefined; reasoning?: number | undefined };
};

/** Returns the usage. Null if the provider did not state all tokens. */
export function usageOf(stated: unknown): TokenUsage | null {
  const { inputTokens: input, outputTokens: output } = (stated ?? {}) as StatedUsage;
  if (!isCount(input?.total) || !isCount(output?.total)) return null;
  const usage: TokenUsage = { inputTokens: input.total, outputTokens: output.total };
  const { cacheRead, cacheWrite } = input;
  if (isCount(cacheRead)) usage.cachedInputTokens = cacheRead;
  if (isCount(cacheWrite)) usage.cacheWriteTokens = cacheWrite;
  if (isCount(output.reasoning)) usage.reasoningTokens = output.reasoning;
  return usage;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
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
  return tokens + tokensOfBytes(bytesOf(text));
}

function isImage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { mediaType } = value as { mediaType?: unknown };
  return typeof mediaType === 'string' && mediaType.startsWith('image/');
}
