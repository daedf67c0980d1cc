/** Finds the prices by which the token usage of an LLM call is charged when its outcome comes. */
import type { TokenPrice } from '@mandate/schemas';
import type { KnownCall } from '../models/known-call.ts';
import type { Pricing } from '../price.ts';
import { type ListedModel, ratesAt } from './listed-model.ts';
import type { TieredRates } from './token-rates.ts';

/** A plan states at most this many prices. */
const MOST_PRICES = 8;

const AMOUNTS = [
  'inputMicros',
  'cachedInputMicros',
  'cacheWriteMicros',
  'outputMicros',
  'perCallMicros',
] as const;

/** Returns the prices of a call at a time, in epoch milliseconds. Undefined if no policy prices tokens. */
export type TokenPricesOf = (call: KnownCall, atMs: number) => readonly TokenPrice[] | undefined;

/** The prices of a call, with the entries of the price lists and their rates at that time. */
type Found = {
  readonly models: readonly ListedModel[];
  readonly rates: readonly TieredRates[];
  readonly prices: readonly TokenPrice[] | undefined;
};

/**
 * Returns a function that finds the prices of calls under all policies. They come from the same sources as the
 * reservation: the document of the policy, otherwise the list of the provider, otherwise all lists. The highest price
 * that applies is charged, so prices that can never be the highest are left out.
 */
export function tokenPricesOf(pricings: readonly Pricing[]): TokenPricesOf {
  // Agents call the same few models again and again. Prices change only when the lists have other rates.
  const known = new WeakMap<KnownCall, Found>();
  return (call, atMs) => {
    let found = known.get(call);
    if (found === undefined || !isInForce(found, atMs)) {
      found = find(call, pricings, atMs);
      known.set(call, found);
    }
    return found.prices;
  };
}

function isInForce({ models, rates }: Found, atMs: number): boolean {
  return models.every((model, at) => ratesAt(model, atMs) === rates[at]);
}

function find(call: KnownCall, pricings: readonly Pricing[], atMs: number): Found {
  const models = modelsOf(call);
  const rates = models.map((model) => ratesAt(model, atMs));
  const listed = rates.flatMap((tiers) => tiers.flatMap(({ tokenPrice }) => tokenPrice ?? []));
  const prices = pricings.flatMap(({ rule, modelPrices }) => {
    // Tiers ignore the actual cost.
    if (rule.type === 'TIERED') return [];
    const stated = modelPrices?.of(call) ?? [];
    return stated.length > 0 ? stated : listed;
  });
  return { models, rates, prices: prices.length === 0 ? undefined : highest(prices) };
}

function modelsOf({ prices }: KnownCall): readonly ListedModel[] {
  if (prices === null) return [];
  return prices.own === null ? prices.all : [prices.own];
}

/** If too many prices are left, one price that is as high as each of them replaces them. */
function highest(found: readonly TokenPrice[]): readonly TokenPrice[] {
  let kept: TokenPrice[] = [];
  for (const price of found) {
    if (kept.some((other) => covers(other, price))) continue;
    kept = [...kept.filter((other) => !covers(price, other)), price];
    if (kept.length > MOST_PRICES) return [found.reduce(greaterOf)];
  }
  return kept.sort((one, other) => one.fromInputTokens - other.fromInputTokens);
}

/** True if the price is never lower than the other price. */
function covers(price: TokenPrice, other: TokenPrice): boolean {
  return (
    price.fromInputTokens <= other.fromInputTokens &&
    AMOUNTS.every((amount) => price[amount] >= other[amount])
  );
}

function greaterOf(one: TokenPrice, other: TokenPrice): TokenPrice {
  const amounts = AMOUNTS.map((amount) => [amount, Math.max(one[amount], other[amount])]);
  return { fromInputTokens: 0, ...Object.fromEntries(amounts) };
}
