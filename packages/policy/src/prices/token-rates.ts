import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import { atScale, type Decimal, decimalOf, rounded } from './decimal.ts';

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

/** Rates for requests with more than `aboveInputTokens` tokens of input. */
interface Tier {
  readonly aboveInputTokens: number;
  readonly rates: TokenRates;
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
  for (const rate of [price.input_mtok, price.output_mtok, price.requests_kcount]) {
    if (typeof rate === 'object') for (const tier of rate.tiers) starts.add(tier.start);
  }
  return [...starts]
    .sort((left, right) => left - right)
    .map((aboveInputTokens) => ({ aboveInputTokens, rates: ratesAbove(price, aboveInputTokens) }));
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
