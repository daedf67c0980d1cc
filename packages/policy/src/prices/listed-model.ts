import { type ConditionalPrice, calcPrice, type ModelPrice } from '@pydantic/genai-prices';
import { type RecentlyUsed, recentlyUsed } from '../recently-used.ts';
import { type TieredRates, tieredRates } from './token-rates.ts';

/** A model of the price list, its prices read once. */
export interface ListedModel {
  /** Where the price stands: `genai-prices:<provider>/<model>` as the list spells them. */
  readonly source: string;
  /** In the list's order, in which a later period that holds goes before an earlier one. */
  readonly periods: readonly Period[];
}

interface Period {
  holdsAt(atMs: number): boolean;
  readonly rates: TieredRates;
}

/** Longer names are in no list, and the list's patterns should not be run on them. */
const LONGEST_NAME = 256;
const DAY_MS = 86_400_000;

// Two maps, so that a flood of names nobody knows cannot drive out the prices in use. What is listed is found by
// provider, then by model: joining the two to one key takes longer than both.
const listed = recentlyUsed<RecentlyUsed<ListedModel>>(64);
const unlisted = recentlyUsed<true>(512);

/** Finds a model, by its provider's list if one is named, else by the shape of its name. Null if no list has it. */
export function listedModel(provider: string | undefined, model: string): ListedModel | null {
  if (model.length > LONGEST_NAME || (provider?.length ?? 0) > LONGEST_NAME) return null;
  const ofProvider = listed.get(provider ?? '');
  const known = ofProvider?.get(model);
  if (known !== undefined) return known;
  const key = `${provider ?? ''}\0${model}`;
  if (unlisted.get(key)) return null;
  const found = find(provider, model);
  if (found === null) unlisted.set(key, true);
  else remember(provider ?? '', model, found);
  return found;
}

function remember(provider: string, model: string, found: ListedModel): void {
  const ofProvider = listed.get(provider) ?? recentlyUsed<ListedModel>(512);
  ofProvider.set(model, found);
  listed.set(provider, ofProvider);
}

function find(provider: string | undefined, model: string): ListedModel | null {
  // Asked for the price of nothing at a time of our choosing, only to learn which entry the name stands for:
  // without a time the library would read the clock.
  const options = { timestamp: new Date(0), ...(provider === undefined ? {} : { providerId: provider }) };
  const entry = calcPrice({}, model, options);
  if (entry === null) return null;
  const { prices } = entry.model;
  return {
    source: `genai-prices:${entry.provider.id}/${entry.model.id}`,
    periods: Array.isArray(prices) ? prices.map(periodOf) : [always(prices)],
  };
}

function always(price: ModelPrice): Period {
  return { holdsAt: () => true, rates: tieredRates(price) };
}

function periodOf({ constraint, prices }: ConditionalPrice): Period {
  const rates = tieredRates(prices);
  if (constraint === undefined) return { holdsAt: () => true, rates };
  if (constraint.type === 'start_date') {
    const startMs = Date.parse(constraint.start_date);
    return { holdsAt: (atMs) => atMs >= startMs, rates };
  }
  const startMs = Date.parse(`1970-01-01T${constraint.start_time}`);
  const lengthMs = modulo(Date.parse(`1970-01-01T${constraint.end_time}`) - startMs, DAY_MS);
  return { holdsAt: (atMs) => modulo(atMs - startMs, DAY_MS) < lengthMs, rates };
}

/** Never negative, unlike `%`. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
