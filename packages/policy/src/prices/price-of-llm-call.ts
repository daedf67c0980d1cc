import { listedModel } from './listed-model.ts';
import { ratesFor, type TokenRates } from './token-rates.ts';

/** A call that a model provider will bill. Token counts are safe integers, not negative. */
export interface LlmCall {
  /** `anthropic`, `openai`, `google`, `openrouter`, …; absent: the provider that the model's name points to. */
  readonly provider?: string | undefined;
  readonly model: string;
  /** All input, cached or not. */
  readonly inputTokens: number;
  readonly maxOutputTokens: number;
  /** When the call is made, in epoch milliseconds: lists change on dates, and some by the hour. */
  readonly atMs: number;
}

/** `source` says which entry of which list gave the price. */
export interface LlmPrice {
  readonly micros: number;
  readonly source: string;
}

/**
 * What a call may cost, in micro-dollars rounded up, by the price list `@pydantic/genai-prices` as it was when the
 * dependency was pinned; nothing is fetched.
 *
 * Where the request leaves the bill open the dearer reading counts: every output token that may come does come,
 * input read from a cache costs as if it were not, and input above a threshold of the list reprices the whole
 * request. What nobody can read off a request (surcharges for writing a cache, audio, searches) is not in it and
 * arrives with the outcome's actual cost.
 *
 * Null if no list has the model, or the list has no rate for a kind of token that the call may use: unknown is not
 * free. More than a safe integer can say is given as the largest one.
 */
export function priceOfLlmCall(call: LlmCall): LlmPrice | null {
  const model = listedModel(call.provider, call.model);
  if (model === null) return null;
  // A list whose every period has a condition means its first one when none holds.
  const period =
    model.periods.length === 1
      ? model.periods[0]
      : (model.periods.findLast(({ holdsAt }) => holdsAt(call.atMs)) ?? model.periods[0]);
  const rates = period && ratesFor(period.rates, call.inputTokens);
  if (!rates || (rates.input === null && rates.output === null)) return null;
  if (rates.input === null && call.inputTokens > 0) return null;
  if (rates.output === null && call.maxOutputTokens > 0) return null;
  return { micros: microsAt(rates, call), source: model.source };
}

/** Exact. A sum that is a safe integer had safe integers all along its way, and needs no others. */
function microsAt({ input, output, perRequest, divisor }: TokenRates, call: LlmCall): number {
  const { inputTokens, maxOutputTokens } = call;
  const scaled = inputTokens * (input ?? 0) + maxOutputTokens * (output ?? 0) + perRequest;
  if (scaled <= Number.MAX_SAFE_INTEGER) {
    const whole = Math.floor(scaled / divisor);
    return whole * divisor < scaled ? whole + 1 : whole;
  }
  const large =
    BigInt(inputTokens) * BigInt(input ?? 0) +
    BigInt(maxOutputTokens) * BigInt(output ?? 0) +
    BigInt(perRequest);
  const micros = (large + BigInt(divisor) - 1n) / BigInt(divisor);
  return Math.min(Number(micros), Number.MAX_SAFE_INTEGER);
}
