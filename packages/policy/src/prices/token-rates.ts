import type { ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import { atScale, type Decimal, decimalOf, rounded } from './decimal.ts';

/**
 * What one request costs: `input` and `output` a token and `perRequest` once, each in micro-dollars × `divisor`, a power
 * of ten that makes all of them safe integers. A rate is null where the price list names none.
 */
export interface TokenRates {
  readonly input: number | null;
  readonly output: number | null;
  readonly perRequest: number;
  readonly divisor: number;
}

/** Rates that hold for requests with more than `aboveInputTokens` tokens of input. */
interface Tier {
  readonly aboveInputTokens: number;
  readonly rates: TokenRates;
}

/** Tiers, the lowest threshold first; the first has none (-1). */
export type TieredRates = readonly Tier[];

/**
 * Reads one entry of the price list. A threshold passed by the input reprices the whole request, its output too,
 * as providers bill long contexts. Dollars per million tokens are micro-dollars per token; the fee is given in dollars
 * per thousand requests, which are thousands of micro-dollars per request.
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

/** No list has a rate of so many digits; one that had could not be billed exactly, and deciding must fail. */
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

/** Lists hold sums of floating point: 0.18000000000000002 dollars. No provider asks for less than this many places tell. */
const MOST_DECIMALS = 12;

function rateOf(dollars: number): Decimal {
  return rounded(decimalOf(dollars), MOST_DECIMALS);
}
