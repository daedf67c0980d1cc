/**
 * The prices of the tokens of an LLM call, as they were when the call was allowed. They are whole micro-dollars for a
 * million tokens, so a price list with up to six decimals of a dollar is exact.
 */
import { z } from 'zod';
import { described } from './described.ts';
import { micros } from './money-shapes.ts';
import { count } from './scalars.ts';

export const tokenPrice = z.object({
  fromInputTokens: described(count, 'The price applies to calls with at least this many input tokens.', 0),
  inputMicros: described(micros, 'The price of a million input tokens, in micro-dollars.', 3_000_000),
  cachedInputMicros: described(
    micros,
    'The price of a million input tokens that are read from a cache, in micro-dollars.',
    300_000,
  ),
  cacheWriteMicros: described(
    micros,
    'The price of a million input tokens that are written to a cache, in micro-dollars.',
    3_750_000,
  ),
  outputMicros: described(micros, 'The price of a million output tokens, in micro-dollars.', 15_000_000),
  perCallMicros: described(micros, 'The price of each call, whatever its tokens, in micro-dollars.', 0),
});
export type TokenPrice = z.infer<typeof tokenPrice>;
