import { type ListedModel, ratesAt } from './listed-model.ts';
import type { ListedPrices } from './listed-prices.ts';
import { ratesFor, type TokenRates } from './token-rates.ts';

/** The tokens that a call is billed for. Token counts are safe integers and not negative. */
export interface Tokens {
  /** All input tokens, whether from a cache or not. */
  readonly input: number;
  readonly maxOutput: number;
}

/** The price of a call. `source` names the list and the entry of the price. */
export interface LlmPrice {
  readonly micros: number;
  readonly source: string;
  /**
   * The cost of the input alone. Null if several lists price the model, because another list may have the highest
   * price for input.
   */
  readonly inputMicros: number | null;
}

/**
 * Returns the highest possible cost of a call, in micro-dollars rounded up, by the price list of the called provider.
 * If the provider is unknown, or its list does not price the model, the most expensive of all lists that price the
 * model counts.
 *
 * If the request leaves something open, the higher cost counts. The model is assumed to send every output token that
 * it may send. Input from a cache costs as much as other input. Input above a threshold of the list raises the price
 * of the whole request. Costs that no request shows (for writing a cache, audio, searches) are part of the outcome's
 * actual cost.
 *
 * Null if the list has no rate for a kind of token that the call may use, because unknown is not free. A cost above
 * the largest safe integer is returned as that integer.
 *
 * @param atMs the time of the call, in epoch milliseconds: lists change on dates, and some by the hour
 */
export function priceOfLlmCall({ own, all }: ListedPrices, tokens: Tokens, atMs: number): LlmPrice | null {
  if (own !== null) return priceIn(own, tokens, atMs);
  let mostExpensive: LlmPrice | null = null;
  for (const model of all) {
    const other = priceIn(model, tokens, atMs);
    if (other !== null && (mostExpensive === null || other.micros > mostExpensive.micros))
      mostExpensive = other;
  }
  return mostExpensive === null ? null : { ...mostExpensive, inputMicros: null };
}

/** True if the model's output is billed. Embeddings have no output. */
export function billsOutput({ own, all }: ListedPrices, atMs: number): boolean {
  return (own === null ? all : [own]).some((model) =>
    ratesAt(model, atMs).some(({ rates }) => rates.output !== null),
  );
}

function priceIn(model: ListedModel, tokens: Tokens, atMs: number): LlmPrice | null {
  const rates = ratesFor(ratesAt(model, atMs), tokens.input);
  if (!rates || (rates.input === null && rates.output === null)) return null;
  if (rates.input === null && tokens.input > 0) return null;
  if (rates.output === null && tokens.maxOutput > 0) return null;
  const inputMicros = microsAt(rates, { input: tokens.input, maxOutput: 0 });
  return { micros: microsAt(rates, tokens), source: model.source, inputMicros };
}

/**
 * Returns the exact cost in micro-dollars. It is computed with plain numbers if the sum is a safe integer, because
 * all intermediate numbers are then safe too. Otherwise it is computed with bigints.
 */
export function microsAt({ input, output, perRequest, divisor }: TokenRates, tokens: Tokens): number {
  const { input: inputTokens, maxOutput } = tokens;
  const scaled = inputTokens * (input ?? 0) + maxOutput * (output ?? 0) + perRequest;
  if (scaled <= Number.MAX_SAFE_INTEGER) {
    const whole = Math.floor(scaled / divisor);
    return whole * divisor < scaled ? whole + 1 : whole;
  }
  const large =
    BigInt(inputTokens) * BigInt(input ?? 0) + BigInt(maxOutput) * BigInt(output ?? 0) + BigInt(perRequest);
  const micros = (large + BigInt(divisor) - 1n) / BigInt(divisor);
  return Math.min(Number(micros), Number.MAX_SAFE_INTEGER);
}
