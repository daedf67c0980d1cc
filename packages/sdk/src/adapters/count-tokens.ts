/**
 * Counts the tokens of a call. Before the call runs, its tokens are estimated. After the call, the provider states them.
 * If the answer ended early, its tokens are estimated too.
 */
import { MandateBlockedError } from '../errors.ts';
import type { ActionOfError, TokenUsage } from '../types.ts';

export type TokenOptions<Counted> = {
  /**
   * Counts the input tokens of a call, for its reservation. By default, the tokens are estimated from the length of the
   * call. The estimate is more often too high than too low. If the function throws, the call is blocked.
   */
  countTokens?: (counted: Counted) => number | PromiseLike<number>;
  /**
   * The maximum number of output tokens that are reserved for a call that states no limit of its own. Default: 4,096.
   * Null: `defaultTokens` of the mandate is used. A longer answer is charged in full.
   */
  maxOutputTokens?: number | null;
};

/** The default limit of output tokens for a reservation. Most answers are shorter. */
const DEFAULT_MAX_OUTPUT_TOKENS = 4_096;

/**
 * Returns the maximum number of output tokens to reserve, as a field of a call. The field is absent if the mandate
 * states this number.
 */
export function maxOutputOf(
  stated: number | undefined,
  { maxOutputTokens = DEFAULT_MAX_OUTPUT_TOKENS }: Pick<TokenOptions<never>, 'maxOutputTokens'>,
): { maxOutputTokens?: number } {
  const most = stated ?? maxOutputTokens;
  return most === null ? {} : { maxOutputTokens: most };
}

/**
 * Returns the tokens that `count` returns, as a whole number of at least 1.
 *
 * @throws MandateBlockedError INTERNAL_ERROR
 */
export async function countedTokens(
  count: () => number | PromiseLike<number>,
  { agentId, model }: { agentId: string; model: string },
): Promise<number> {
  const action: ActionOfError = { id: '', agentId, type: 'llm_call', model };
  try {
    return Math.max(1, Math.ceil(await count()));
  } catch (cause) {
    throw new MandateBlockedError('INTERNAL_ERROR', {
      reason: 'The tokens of the call could not be counted.',
      remedy: 'Nothing ran. Tell the operator of the agent.',
      action,
      decision: null,
      cause,
    });
  }
}

/**
 * Texts in English have about four bytes a token. With three bytes, the estimate is more often too high than too low.
 */
const BYTES_PER_TOKEN = 3;

const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).byteLength;
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

export function tokensOfText(text: string): number {
  return tokensOfBytes(bytesOf(text));
}

/** The maximum number of tokens that a provider counts for one image, rounded up. */
const IMAGE_TOKENS = 5_000;

/**
 * Returns an estimate for a value that is sent as JSON. The estimate is more often too high than too low. An image
 * costs a fixed number of tokens, whatever its size.
 */
export function tokensOfJson(value: unknown, isImage: (part: unknown) => boolean): number {
  let tokens = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Uint8Array) {
      tokens += tokensOfBytes(part.byteLength);
      return 'bytes';
    }
    if (!isImage(part)) return part;
    tokens += IMAGE_TOKENS;
    return 'image';
  });
  return tokens + tokensOfText(text);
}

/** The counts from the answer of a provider. Their types are unknown. */
type StatedCounts = { [Name in keyof TokenUsage]?: unknown };

/**
 * Returns the usage. Null if the input or the output is not a number of tokens. A part that is not a number, or is
 * larger than the whole, is left out, because the plane would refuse the record.
 */
export function usageOfCounts(stated: StatedCounts): TokenUsage | null {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = stated;
  if (!isCount(inputTokens) || !isCount(outputTokens)) return null;
  const usage: TokenUsage = { inputTokens, outputTokens };
  if (isPart(cachedInputTokens, inputTokens)) usage.cachedInputTokens = cachedInputTokens;
  const others = inputTokens - (usage.cachedInputTokens ?? 0);
  if (isPart(cacheWriteTokens, others)) usage.cacheWriteTokens = cacheWriteTokens;
  if (isPart(reasoningTokens, outputTokens)) usage.reasoningTokens = reasoningTokens;
  return usage;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isPart(value: unknown, whole: number): value is number {
  return isCount(value) && value > 0 && value <= whole;
}
