/**
 * The price lists of `@pydantic/genai-prices`, in the pinned version of the library. Nothing is fetched. The lists
 * are indexed, so that one look-up finds a name in all lists. A name must mean the same model here as in the library.
 * The test price-of-llm-call.test.ts compares them.
 */
import { findProvider, type MatchLogic, type ModelInfo } from '@pydantic/genai-prices';
import { PROVIDERS } from '../models/known-providers.ts';

export type PriceList = {
  readonly id: string;
  /** The lists in which a model is searched if this list does not contain it. */
  readonly fallbacks: readonly string[];
  /** @param name in lower case */
  find(name: string): ModelInfo | null;
  /** Like `find`, but only for models that the list names without patterns. This search is much faster. */
  findSpelledOut(name: string): ModelInfo | null;
};

let lists: ReadonlyMap<string, PriceList> | undefined;

/** Returns the price lists. They are built at the first call, because this takes some milliseconds. */
export function priceLists(): ReadonlyMap<string, PriceList> {
  lists ??= new Map(PROVIDERS.flatMap(({ priceList }) => (priceList === null ? [] : readList(priceList))));
  return lists;
}

function readList(id: string): (readonly [string, PriceList])[] {
  const provider = findProvider({ providerId: id });
  if (provider === undefined) return [];
  const exact = new Map<string, number>();
  const tests: { at: number; matches: Matches }[] = [];
  for (const [at, { match }] of provider.models.entries()) {
    for (const one of 'or' in match ? match.or : [match]) {
      const name = 'equals' in one ? one.equals.toLowerCase() : null;
      if (name === null) tests.push({ at, matches: matching(one) });
      else if (!exact.has(name)) exact.set(name, at);
    }
  }
  const find = (name: string): ModelInfo | null => {
    const byName = exact.get(name) ?? Number.POSITIVE_INFINITY;
    const byTest = tests.find(({ at, matches }) => at >= byName || matches(name))?.at;
    const at = Math.min(byName, byTest ?? Number.POSITIVE_INFINITY);
    return provider.models[at] ?? null;
  };
  const findSpelledOut = (name: string) => provider.models[exact.get(name) ?? -1] ?? null;
  return [[id, { id, fallbacks: provider.fallback_model_providers ?? [], find, findSpelledOut }]];
}

type Matches = (name: string) => boolean;

function matching(match: MatchLogic): Matches {
  if ('or' in match || 'and' in match) {
    const each = ('or' in match ? match.or : match.and).map(matching);
    if ('or' in match) return (name) => each.some((one) => one(name));
    return (name) => each.every((one) => one(name));
  }
  if ('regex' in match) {
    const pattern = new RegExp(match.regex);
    return (name) => pattern.test(name);
  }
  if ('equals' in match) return ofText(match.equals, (name, text) => name === text);
  if ('starts_with' in match) return ofText(match.starts_with, (name, text) => name.startsWith(text));
  if ('ends_with' in match) return ofText(match.ends_with, (name, text) => name.endsWith(text));
  return ofText(match.contains, (name, text) => name.includes(text));
}

function ofText(sought: string, holds: (name: string, text: string) => boolean): Matches {
  const text = sought.toLowerCase();
  return (name) => holds(name, text);
}
