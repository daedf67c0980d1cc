/** The number digits × 10^-decimals, exactly. */
export interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/**
 * The decimal that a price list meant by a number: the shortest one that reads back as the same double, which is
 * how it was written (0.075 is 75 × 10^-3, not 0.07499999…). For finite numbers that are not negative.
 */
export function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 };
}

/** The digits of the same number written with `decimals` places, which must be no fewer than it has. */
export function atScale(value: Decimal, decimals: number): bigint {
  return value.digits * 10n ** BigInt(decimals - value.decimals);
}

/** The nearest with at most `most` decimals; the same number where it has no more. */
export function rounded(value: Decimal, most: number): Decimal {
  if (value.decimals <= most) return value;
  const unit = 10n ** BigInt(value.decimals - most);
  let digits = (value.digits + unit / 2n) / unit;
  let decimals = most;
  for (; decimals > 0 && digits % 10n === 0n; decimals -= 1) digits /= 10n;
  return { digits, decimals };
}
