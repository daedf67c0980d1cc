/**
 * The price of a model as a manifest states it, in whole micro-dollars, and the cost of a call at this price. Amounts
 * are computed from decimal text, never with floating point.
 */
import { type Decimal, decimalOf, digitsUp } from '@mandate/policy/parts';
import type { AgentDefinition } from '@mandate/schemas/agent-manifest';

export type ModelPrice = {
  perRequestMicros: number;
  inputMicrosPerMillion: number;
  outputMicrosPerMillion: number;
  perSecondMicros: number;
};

type Pricing = NonNullable<NonNullable<AgentDefinition['resources']>['pricing']>;

export type PriceRefusal = {
  code: 'CURRENCY_UNCONVERTED' | 'PRICE_TOO_PRECISE' | 'PRICE_TOO_LARGE';
  field: keyof Pricing;
  message: string;
};

/**
 * The number of decimal places by which a cost is moved to become micro-dollars. Prices of tokens are stored for a
 * million tokens, even if the manifest states them for a thousand.
 */
const PLACES = { TOKEN_1M: 6, TOKEN_1K: 9, REQUEST: 6, SECOND: 6 } as const;

/**
 * A price in dollars must be a whole number of micro-dollars. A price in euros is rounded up.
 *
 * @param usdPerEur the dollars of a euro; absent: prices in euros are refused
 */
export function modelPriceOf(
  { unit = 'TOKEN_1M', currency = 'USD', input_cost, output_cost, fixed_cost_per_request = 0 }: Pricing,
  usdPerEur: number | undefined,
): { ok: true; price: ModelPrice } | { ok: false; refusal: PriceRefusal } {
  const rate = currency === 'USD' ? 1 : usdPerEur;
  if (rate === undefined || !Number.isFinite(rate) || rate <= 0) {
    const message =
      'is EUR, and it is not known how many dollars a euro is: say it, or write the price in USD';
    return { ok: false, refusal: { code: 'CURRENCY_UNCONVERTED', field: 'currency', message } };
  }
  const fields = [
    ['input_cost', input_cost, PLACES[unit]],
    ['output_cost', output_cost, PLACES[unit]],
    ['fixed_cost_per_request', fixed_cost_per_request, PLACES.REQUEST],
  ] as const;
  const micros: number[] = [];
  for (const [field, cost, places] of fields) {
    const exact = product(moved(decimalOf(cost), places), decimalOf(rate));
    const up = digitsUp(exact, 0);
    if (currency === 'USD' && !isWhole(exact, up)) {
      const message = 'is finer than a micro-dollar: round it up';
      return { ok: false, refusal: { code: 'PRICE_TOO_PRECISE', field, message } };
    }
    if (up > MOST) {
      const message = `is more than ${MOST} micro-dollars, which no counter can hold`;
      return { ok: false, refusal: { code: 'PRICE_TOO_LARGE', field, message } };
    }
    micros.push(Number(up));
  }
  const [input = 0, output = 0, fixed = 0] = micros;
  const price = {
    perRequestMicros: fixed,
    inputMicrosPerMillion: 0,
    outputMicrosPerMillion: 0,
    perSecondMicros: 0,
  };
  if (unit === 'REQUEST')
    return { ok: true, price: { ...price, perRequestMicros: sum(input, output, fixed) } };
  if (unit === 'SECOND') return { ok: true, price: { ...price, perSecondMicros: sum(input, output) } };
  return { ok: true, price: { ...price, inputMicrosPerMillion: input, outputMicrosPerMillion: output } };
}

/** `seconds`: how long the call may take, for models that are priced by time. */
export type CallSize = { inputTokens: number; maxOutputTokens: number; seconds: number };

/**
 * Returns the highest cost of a call at this price, in micro-dollars, rounded up once. At most 2^53-1.
 *
 * @param size token counts are safe integers and not negative; seconds are finite and not negative
 */
export function estimatedMicros(
  price: ModelPrice,
  { inputTokens, maxOutputTokens, seconds }: CallSize,
): number {
  const tokens: Decimal = {
    digits:
      BigInt(inputTokens) * BigInt(price.inputMicrosPerMillion) +
      BigInt(maxOutputTokens) * BigInt(price.outputMicrosPerMillion),
    decimals: 6,
  };
  const time = product(decimalOf(seconds), { digits: BigInt(price.perSecondMicros), decimals: 0 });
  const micros = digitsUp(added(tokens, time), 0) + BigInt(price.perRequestMicros);
  return Number(micros > MOST ? MOST : micros);
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

function sum(...micros: readonly number[]): number {
  const all = micros.reduce((total, one) => total + BigInt(one), 0n);
  return Number(all > MOST ? MOST : all);
}

function moved({ digits, decimals }: Decimal, places: number): Decimal {
  return decimals >= places
    ? { digits, decimals: decimals - places }
    : { digits: digits * 10n ** BigInt(places - decimals), decimals: 0 };
}

function product(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, decimals: one.decimals + other.decimals };
}

function added(one: Decimal, other: Decimal): Decimal {
  const decimals = Math.max(one.decimals, other.decimals);
  const at = ({ digits, decimals: own }: Decimal) => digits * 10n ** BigInt(decimals - own);
  return { digits: at(one) + at(other), decimals };
}

function isWhole({ digits, decimals }: Decimal, up: bigint): boolean {
  return up * 10n ** BigInt(decimals) === digits;
}
