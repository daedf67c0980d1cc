/** Finds the prices by which the token usage of an LLM call is charged when its outcome comes. */
import type { TokenPrice } from '@mandate/schemas';
import type { KnownCall } from '../models/known-call.ts';
import type { Pricing } from '../price.ts';
import { ratesAt } from './listed-model.ts';

/** A plan states at most this many prices. */
const MOST_PRICES = 8;

const AMOUNTS = [
  'inputMicros',
  'cachedInputMicros',
  'cacheWriteMicros',
  'outputMicros',
  'perCallMicros',
] as const;

/** The last prices that were found and what they made, because agents make many calls of one model. */
let latest: { found: readonly TokenPrice[]; made: readonly TokenPrice[] } = { found: [], made: [] };

/**
 * Returns the prices of the call under all policies. They come from the same sources as the reservation: the document
 * of the policy, then the list of the provider, then all lists. The highest price that applies is charged, so prices
 * that can never be the highest are left out. Undefined if no policy prices tokens.
 */
export function tokenPricesOf(
  call: KnownCall,
  pricings: readonly Pricing[],
  atMs: number,
): readonly TokenPrice[] | undefined {
  const found: TokenPrice[] = [];
  for (const { rule, modelPrices } of pricings) {
    // Tiers ignore the actual cost.
    if (rule.type === 'TIERED') continue;
    const stated = modelPrices?.of(call) ?? [];
    if (stated.length > 0) found.push(...stated);
    else found.push(...listed(call, atMs));
  }
  if (found.length === 0) return undefined;
  if (!isSame(found, latest.found)) latest = { found, made: highest(found) };
  return latest.made;
}

function listed({ prices }: KnownCall, atMs: number): TokenPrice[] {
  if (prices === null) return [];
  const models = prices.own === null ? prices.all : [prices.own];
  return models.flatMap((model) => ratesAt(model, atMs).flatMap(({ tokenPrice }) => tokenPrice ?? []));
}

function isSame(found: readonly TokenPrice[], others: readonly TokenPrice[]): boolean {
  return found.length === others.length && found.every((price, at) => price === others[at]);
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
