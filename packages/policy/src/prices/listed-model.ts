import type { ConditionalPrice, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import { type TieredRates, tieredRates } from './token-rates.ts';

/** A model of a price list. Its prices are parsed once. */
export interface ListedModel {
  /** The name of the entry in the price lists: `genai-prices:<list>/<model>`, in the list's spelling. */
  readonly source: string;
  /** The periods in the order of the list. If several periods apply, the last of them counts. */
  readonly periods: readonly Period[];
}

interface Period {
  holdsAt(atMs: number): boolean;
  readonly rates: TieredRates;
}

const DAY_MS = 86_400_000;

export function listedModel(list: string, { id, prices }: ModelInfo): ListedModel {
  return {
    source: `genai-prices:${list}/${id}`,
    periods: Array.isArray(prices) ? prices.map(periodOf) : [always(prices)],
  };
}

/** True if the list states a price. Some entries only contain the name of a model. */
export function isPriced({ periods }: ListedModel): boolean {
  return periods.some(({ rates }) =>
    rates.some(({ rates: { input, output } }) => (input ?? output) !== null),
  );
}

/**
 * Returns the rates at a time, in epoch milliseconds. If every period has a condition and no condition is met, the
 * first period counts.
 */
export function ratesAt({ periods }: ListedModel, atMs: number): TieredRates {
  const [first] = periods as readonly [Period, ...Period[]];
  if (periods.length === 1) return first.rates;
  return (periods.findLast(({ holdsAt }) => holdsAt(atMs)) ?? first).rates;
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

/** Returns the remainder as a number that is never negative, unlike `%`. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
