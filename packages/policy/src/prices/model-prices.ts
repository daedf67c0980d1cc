/** The model prices that a document states. They take precedence over the price lists. */

import type { ModelPriceDocument, TokenPrice } from '@mandate/schemas';
import { CAPS, dollarsToMicros } from '@mandate/schemas/core';
import type { CallNames } from '../models/call-names.ts';
import { readModelName } from '../models/model-name.ts';
import { otherSpellings } from '../models/spellings.ts';
import { microsAt, type Tokens } from './price-of-llm-call.ts';

/** `way`: the path before the model, such as `azure`. If `way` is empty, the price applies to every provider. */
type Entry = { name: string; way: string; price: TokenPrice };

export type ModelPrices = {
  /**
   * Returns the prices that may apply to a call. Empty if the document does not price the model. A price for the
   * call's path takes precedence over a price for any path. If the provider of the call is unknown, all prices may
   * apply.
   */
  of(call: CallNames): readonly TokenPrice[];
  /** Every price with its name, as the document states them. */
  readonly all: readonly (readonly [name: string, price: TokenPrice])[];
};

export function compileModelPrices(document: Readonly<Record<string, ModelPriceDocument>>): {
  prices: ModelPrices;
  /** Names that mean the same model as a name before them, each with that earlier name. */
  repeated: readonly (readonly [name: string, first: string])[];
} {
  const byModel = new Map<string, Entry[]>();
  const repeated: [string, string][] = [];
  const all: [string, TokenPrice][] = [];
  for (const [name, price] of Object.entries(document)) {
    const { path, model } = readModelName(name);
    const entry = { name, way: path.join('/'), price: statedPrice(price) };
    all.push([name, entry.price]);
    for (const spelled of new Set([model, ...otherSpellings(model)])) {
      const entries = byModel.get(spelled) ?? [];
      const same = entries.find(({ way }) => way === entry.way);
      if (same === undefined) byModel.set(spelled, [...entries, entry]);
      else if (!repeated.some(([known]) => known === name)) repeated.push([name, same.name]);
    }
  }
  return { prices: { of: (call) => pricesOf(byModel, call), all }, repeated };
}

/**
 * Returns the cost of a call by the most expensive of these prices, rounded up, and at most what a counter can hold.
 */
export function statedMicros(prices: readonly TokenPrice[], tokens: Tokens): number {
  return Math.max(
    ...prices.map(({ inputMicros: input, outputMicros: output, perCallMicros }) => {
      const micros = microsAt({ input, output, perRequest: 0, divisor: TOKENS_PRICED }, tokens);
      return Math.min(micros + perCallMicros, CAPS.amountMicros);
    }),
  );
}

const TOKENS_PRICED = 1_000_000;

function pricesOf(byModel: ReadonlyMap<string, readonly Entry[]>, call: CallNames): readonly TokenPrice[] {
  for (const spelled of call.spellings) {
    const entries = byModel.get(spelled);
    if (entries === undefined) continue;
    const applying = call.provider === null ? entries : ofTheirWay(entries, call.ways);
    if (applying.length > 0) return applying.map(({ price }) => price);
  }
  return [];
}

function ofTheirWay(entries: readonly Entry[], ways: readonly string[]): readonly Entry[] {
  for (const named of ways) {
    const entry = entries.find(({ way }) => way === named);
    if (entry !== undefined) return [entry];
  }
  return [];
}

/** Converts a price. The schema has already refused amounts that are not a whole number of micro-dollars. */
function statedPrice(document: ModelPriceDocument): TokenPrice {
  const { inputPerMillion, outputPerMillion, perCall = 0 } = document;
  const { cachedInputPerMillion = inputPerMillion, cacheWritePerMillion = inputPerMillion } = document;
  const micros = (dollars: number) => dollarsToMicros(dollars) ?? 0;
  return {
    fromInputTokens: 0,
    inputMicros: micros(inputPerMillion),
    cachedInputMicros: micros(cachedInputPerMillion),
    cacheWriteMicros: micros(cacheWritePerMillion),
    outputMicros: micros(outputPerMillion),
    perCallMicros: micros(perCall),
  };
}
