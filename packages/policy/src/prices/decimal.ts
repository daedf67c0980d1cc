/** The exact number digits × 10^-decimals. */
export interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/**
 * Returns the decimal that a price list means by a number: the shortest decimal that parses to the same double. A
 * price was written in this form (0.075 is 75 × 10^-3, not 0.07499999…). For finite numbers that are not negative.
 */
export function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 };
}

/**
 * Returns the digits of the number if it is written with `decimals` decimal places. `decimals` must not be less than
 * the number's own decimal places.
 */
export function atScale(value: Decimal, decimals: number): bigint {
  return value.digits * 10n ** BigInt(decimals - value.decimals);
}

/**
 * Returns the number, rounded to at most `most` decimals. A number that has no more decimals is returned unchanged.
 */
export function rounded(value: Decimal, most: number): Decimal {
  if (value.decimals <= most) return value;
  const unit = 10n ** BigInt(value.decimals - most);
  let digits = (value.digits + unit / 2n) / unit;
  let decimals = most;
  for (; decimals > 0 && digits % 10n === 0n; decimals -= 1) digits /= 10n;
  return { digits, decimals };
}

/** Returns the digits of the number if it is rounded up to `decimals` decimal places. */
export function digitsUp(value: Decimal, decimals: number): bigint {
  if (value.decimals <= decimals) return atScale(value, decimals);
  const unit = 10n ** BigInt(value.decimals - decimals);
  return (value.digits + unit - 1n) / unit;
}
