import type { TokenPrice } from '@mandate/schemas';
import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import { atScale, type Decimal, decimalOf, digitsUp, rounded } from './decimal.ts';

/**
 * The cost of one request: `input` and `output` for each token, and `perRequest` once. The unit is micro-dollars ×
 * `divisor`. `divisor` is a power of ten that makes all rates safe integers. A rate is null if the price list does
 * not state it.
 */
export interface TokenRates {
  readonly input: number | null;
  readonly output: number | null;
  readonly perRequest: number;
  readonly divisor: number;
}

/**
 * Rates for requests with more than `aboveInputTokens` tokens of input. `tokenPrice` prices the usage of such requests;
 * it is null if the list prices no tokens.
 */
interface Tier {
  readonly aboveInputTokens: number;
  readonly rates: TokenRates;
  readonly tokenPrice: TokenPrice | null;
}

/** The tiers of a price, with the lowest threshold first. The first tier has no threshold (-1). */
export type TieredRates = readonly Tier[];

/**
 * Reads the prices of one entry of the price list. If the input exceeds a threshold, the whole request has another
 * price, including its output, because providers bill long contexts in this way. Dollars per million tokens equal
 * micro-dollars per token. The fee is in dollars per thousand requests, so it equals thousands of micro-dollars per
 * request.
 */
export function tieredRates(price: ModelPrice): TieredRates {
  const starts = new Set([-1]);
  const { input_mtok, output_mtok, requests_kcount, cache_read_mtok, cache_write_mtok } = price;
  for (const rate of [input_mtok, output_mtok, requests_kcount, cache_read_mtok, cache_write_mtok]) {
    if (typeof rate === 'object') for (const tier of rate.tiers) starts.add(tier.start);
  }
  return [...starts]
    .sort((left, right) => left - right)
    .map((aboveInputTokens) => ({
      aboveInputTokens,
      rates: ratesAbove(price, aboveInputTokens),
      tokenPrice: tokenPriceAbove(price, aboveInputTokens),
    }));
}

export function ratesFor(tiers: TieredRates, inputTokens: number): TokenRates | null {
  for (let at = tiers.length - 1; at >= 0; at -= 1) {
    const tier = tiers[at];
    if (tier !== undefined && inputTokens > tier.aboveInputTokens) return tier.rates;
  }
  return null;
}

function ratesAbove(price: ModelPrice, threshold: number): TokenRates {
  const input = rateAbove(price.input_mtok, threshold);
  const output = rateAbove(price.output_mtok, threshold);
  const fee = rateAbove(price.requests_kcount, threshold);
  const decimals = Math.max(...[input, output, fee].map((rate) => rate?.decimals ?? 0));
  return {
    input: input && safe(atScale(input, decimals)),
    output: output && safe(atScale(output, decimals)),
    perRequest: fee === null ? 0 : safe(atScale(fee, decimals) * 1_000n),
    divisor: safe(10n ** BigInt(decimals)),
  };
}

/**
 * A rate that the list does not state is never free. Input from a cache then costs as much as other input, and so does
 * a write. A write never costs less than other input: some lists state only what it costs on top.
 */
function tokenPriceAbove(price: ModelPrice, threshold: number): TokenPrice | null {
  const input = rateAbove(price.input_mtok, threshold) ?? rateAbove(price.output_mtok, threshold);
  if (input === null) return null;
  const fee = rateAbove(price.requests_kcount, threshold);
  const inputMicros = microsPerMillion(input);
  return {
    fromInputTokens: threshold + 1,
    inputMicros,
    cachedInputMicros: microsPerMillion(rateAbove(price.cache_read_mtok, threshold) ?? input),
    cacheWriteMicros: Math.max(
      inputMicros,
      microsPerMillion(rateAbove(price.cache_write_mtok, threshold) ?? input),
    ),
    outputMicros: microsPerMillion(rateAbove(price.output_mtok, threshold) ?? input),
    // The fee is in dollars per thousand requests.
    perCallMicros: fee === null ? 0 : safe(digitsUp(fee, 3)),
  };
}

function microsPerMillion(dollarsPerMillion: Decimal): number {
  return safe(digitsUp(dollarsPerMillion, 6));
}

/**
 * Returns the rate as a number. Throws if it has too many digits: such a rate could not be billed exactly, and no
 * list contains one.
 */
function safe(digits: bigint): number {
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`a rate of ${digits} in the price list has too many digits`);
}

function rateAbove(rate: number | TieredPrices | undefined, threshold: number): Decimal | null {
  if (rate === undefined) return null;
  if (typeof rate === 'number') return rateOf(rate);
  let dollars = rate.base;
  let reached = -1;
  for (const tier of rate.tiers) {
    if (tier.start > threshold || tier.start < reached) continue;
    dollars = tier.price;
    reached = tier.start;
  }
  return rateOf(dollars);
}

/**
 * The most decimals that are kept. Lists contain results of floating-point additions, such as 0.18000000000000002
 * dollars. No real price needs more decimals than this.
 */
const MOST_DECIMALS = 12;

function rateOf(dollars: number): Decimal {
  return rounded(decimalOf(dollars), MOST_DECIMALS);
}
