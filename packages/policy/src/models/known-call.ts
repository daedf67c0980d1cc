/**
 * The known facts about LLM calls, by provider and model. They are cached, because agents call the same few models
 * again and again.
 */
import type { LlmCall } from '@mandate/schemas';
import { type ListedPrices, listedPrices } from '../prices/listed-prices.ts';
import { type RecentlyUsed, recentlyUsed } from '../recently-used.ts';
import { type CallNames, callNames } from './call-names.ts';

/** `prices` is null if no list has a price for the model. */
export type KnownCall = CallNames & { readonly prices: ListedPrices | null };

// There are two caches, so that many unknown names cannot push the listed models out. `listed` is a map by provider,
// then by model. One map with a joined key would be slower than these two look-ups.
const listed = recentlyUsed<RecentlyUsed<KnownCall>>(64);
const unlisted = recentlyUsed<KnownCall>(512);

/**
 * The maximum number of characters of names that are cached for one call. If a call has longer names, they are computed
 * each time.
 */
const MOST_UNITS = 4_000;

export function knownCall({ provider, model }: Pick<LlmCall, 'provider' | 'model'>): KnownCall {
  const ofProvider = listed.get(provider ?? '');
  const known = ofProvider?.get(model);
  if (known !== undefined) return known;
  const key = `${provider ?? ''}\0${model}`;
  const before = unlisted.get(key);
  if (before !== undefined) return before;
  const call = makeKnown(provider, model);
  if (call.units > MOST_UNITS) return call;
  if (call.prices === null) unlisted.set(key, call);
  else remember(provider ?? '', model, call);
  return call;
}

function makeKnown(stated: string | undefined, given: string): KnownCall {
  const { model, provider, spellings, ways, models, providers, units } = callNames(stated, given);
  const prices = listedPrices(given, provider);
  return { model, provider, spellings, ways, models, providers, units, prices };
}

function remember(provider: string, model: string, call: KnownCall): void {
  const ofProvider = listed.get(provider) ?? recentlyUsed<KnownCall>(512);
  ofProvider.set(model, call);
  listed.set(provider, ofProvider);
}
