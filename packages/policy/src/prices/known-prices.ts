/** Lists the known prices for people: the prices of the price lists, and the prices that mandates state. */

import type { TokenPrice } from '@mandate/schemas';
import { findProvider } from '@pydantic/genai-prices';
import type { Mandate } from '../mandate/mandate.ts';
import { listedModel, ratesAt } from './listed-model.ts';
import { priceLists } from './price-lists.ts';

/** The day on which the price lists of the pinned library were published. */
export const LISTS_PUBLISHED = '2026-09-23';

/** `provider`: the name of the price list. Null: a mandate states the price. */
export type KnownPrice = TokenPrice & { readonly provider: string | null; readonly model: string };

/**
 * Returns the prices that hold at a time, those of mandates first.
 *
 * @param named only prices with this text in the name of the provider or the model, in any case
 */
export function knownPrices(
  mandates: readonly Mandate[],
  named: string,
  atMs: number,
): readonly KnownPrice[] {
  const text = named.toLowerCase();
  return [...stated(mandates), ...listed(atMs)].filter(({ provider, model }) =>
    `${provider ?? ''}/${model}`.toLowerCase().includes(text),
  );
}

function stated(mandates: readonly Mandate[]): KnownPrice[] {
  return mandates.flatMap(({ policies }) =>
    policies.flatMap(({ modelPrices }) =>
      (modelPrices?.all ?? []).map(([model, price]) => ({ provider: null, model, ...price })),
    ),
  );
}

function listed(atMs: number): KnownPrice[] {
  return [...priceLists().keys()].flatMap((provider) =>
    (findProvider({ providerId: provider })?.models ?? []).flatMap((info) =>
      ratesAt(listedModel(provider, info), atMs).flatMap(({ tokenPrice }) =>
        tokenPrice === null ? [] : [{ provider, model: info.id, ...tokenPrice }],
      ),
    ),
  );
}
