/** What is known of LLM calls by provider and model, worked out once: agents call few models over and over. */
import type { LlmCall } from '@mandate/schemas';
import { type ListedPrices, listedPrices } from '../prices/listed-prices.ts';
import { type RecentlyUsed, recentlyUsed } from '../recently-used.ts';
import { type CallNames, callNames } from './call-names.ts';

/** `prices` null: no list has a price for the model. */
export type KnownCall = CallNames & { readonly prices: ListedPrices | null };

// Two maps, so that a flood of unknown names cannot drive out those in use. What is listed is found by provider, then by
// model: joining the two to one key takes longer than both.
const listed = recentlyUsed<RecentlyUsed<KnownCall>>(64);
const unlisted = recentlyUsed<KnownCall>(512);

/** A name that is made to have many spellings is worked out each time, rather than remembered. */
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
