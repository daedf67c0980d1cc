/** Finds the entries of the price lists for the model of a call. */
import type { ModelInfo } from '@pydantic/genai-prices';
import { folded, makerNames, makerOf, providerNamed } from '../models/known-providers.ts';
import { readModelName } from '../models/model-name.ts';
import { otherSpellings, unwrapped } from '../models/spellings.ts';
import { isPriced, type ListedModel, listedModel } from './listed-model.ts';
import { type PriceList, priceLists } from './price-lists.ts';

export type ListedPrices = {
  /** The price of the called provider. Null if the provider is unknown, or if its list has no price for the model. */
  readonly own: ListedModel | null;
  /** The price of each list that has a price for the model. */
  readonly all: readonly ListedModel[];
};

/**
 * @param given the model as the request names it
 * @param provider the normal form of the provider that is called first; null if it is unknown
 */
export function listedPrices(given: string, provider: string | null): ListedPrices | null {
  const names = namesInLists(folded(given));
  const all = [...priceLists().values()].flatMap((list) => pricedIn(list, names) ?? []);
  if (all.length === 0) return null;
  const list = provider === null ? null : (providerNamed(provider)?.priceList ?? null);
  return { own: list === null ? null : ownPrice(list, names), all };
}

function ownPrice(id: string, names: NamesInLists): ListedModel | null {
  const list = priceLists().get(id);
  if (list === undefined) return null;
  const own = pricedIn(list, names);
  if (own !== null) return own;
  for (const fallback of list.fallbacks) {
    const found = ownPrice(fallback, names);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the entry for the first of these names that has a price in the list. */
function pricedIn(
  { id, find, findSpelledOut }: PriceList,
  { bare, withMaker }: NamesInLists,
): ListedModel | null {
  for (const name of bare) {
    const model = read(id, find(name));
    if (model !== null && isPriced(model)) return model;
  }
  for (const name of withMaker) {
    const model = read(id, findSpelledOut(name));
    if (model !== null && isPriced(model)) return model;
  }
  return null;
}

const models = new WeakMap<ModelInfo, ListedModel>();

function read(list: string, info: ModelInfo | null): ListedModel | null {
  if (info === null) return null;
  const known = models.get(info);
  if (known !== undefined) return known;
  const model = listedModel(list, info);
  models.set(info, model);
  return model;
}

/** The names that a model may have in a list: alone or as given, and with its maker before it. */
type NamesInLists = { readonly bare: readonly string[]; readonly withMaker: readonly string[] };

/**
 * Returns the names that lists may use for the model: without the platform's additions, and in the spelling of other
 * providers. The version is kept, because lists price each version. An ending such as `:free` is kept too, because
 * the model has another price with it.
 *
 * @param given the result of `folded`
 */
function namesInLists(given: string): NamesInLists {
  const { path, model } = readModelName(given);
  const names = [model, unwrapped(model), withDashes(model)];
  const spelled = [...new Set([...names, ...names.flatMap(otherSpellings)])];
  const maker = path.findLast((name) => makerNames(name).length > 0) ?? makerOf(model);
  const makers = maker === null ? [] : makerNames(maker);
  return {
    bare: [...new Set([given, ...spelled])],
    withMaker: makers.flatMap((name) => spelled.map((one) => `${name}/${one}`)),
  };
}

/** Writes dates with dashes: `-20250929` becomes `-2025-09-29`. Lists contain both forms. */
function withDashes(model: string): string {
  return model.replace(/-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/, '-$1-$2-$3');
}
