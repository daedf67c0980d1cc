/**
 * The charging table: which amounts of a charge each outcome keeps. If the actual cost is higher, it is charged
 * instead, up to its cap. The Lua scripts of Redis get the same rows from generated constants, so a changed row
 * changes both stores.
 */
import type { Charging } from '@mandate/schemas';

type ChargingType = Charging['type'];
type AmountOf<Type extends ChargingType> = Exclude<keyof Extract<Charging, { type: Type }>, 'type'> & string;

/**
 * `amounts`: the names of all amounts, in the order in which Redis stores them. `failed`, `succeeded`, `verified`:
 * the amounts that are added up for such an outcome. `estimate`: the amount charged for a success without an actual
 * cost; null if actual costs do not count.
 */
export type ChargingRow<Amount extends string = string> = {
  readonly amounts: readonly Amount[];
  readonly failed: readonly Amount[];
  readonly succeeded: readonly Amount[];
  readonly verified: readonly Amount[];
  readonly estimate: Amount | null;
};

export const CHARGING_TABLE: { readonly [Type in ChargingType]: ChargingRow<AmountOf<Type>> } = {
  SUCCESS_BASED: {
    amounts: ['estimateMicros'],
    failed: [],
    succeeded: [],
    verified: [],
    estimate: 'estimateMicros',
  },
  ATTEMPT_BASED: {
    amounts: ['estimateMicros'],
    failed: ['estimateMicros'],
    succeeded: ['estimateMicros'],
    verified: ['estimateMicros'],
    estimate: 'estimateMicros',
  },
  TIERED: {
    amounts: ['attemptMicros', 'successMicros', 'verificationMicros'],
    failed: ['attemptMicros'],
    succeeded: ['attemptMicros', 'successMicros'],
    verified: ['attemptMicros', 'successMicros', 'verificationMicros'],
    estimate: null,
  },
  COMPOSED: {
    amounts: ['failedMicros', 'succeededMicros', 'verifiedMicros', 'estimateMicros'],
    failed: ['failedMicros'],
    succeeded: ['succeededMicros'],
    verified: ['verifiedMicros'],
    estimate: 'estimateMicros',
  },
};

/** The amounts that each outcome keeps, in micro-dollars. `estimateMicros` is null if actual costs do not count. */
export type KeptAmounts = {
  failedMicros: number;
  succeededMicros: number;
  verifiedMicros: number;
  estimateMicros: number | null;
};

export function keptAmounts(charging: Charging): KeptAmounts {
  const { failed, succeeded, verified, estimate }: ChargingRow = CHARGING_TABLE[charging.type];
  const amounts = charging as unknown as Readonly<Record<string, number>>;
  const sumOf = (names: readonly string[]) => names.reduce((sum, name) => sum + (amounts[name] ?? 0), 0);
  return {
    failedMicros: sumOf(failed),
    succeededMicros: sumOf(succeeded),
    verifiedMicros: sumOf(verified),
    estimateMicros: estimate === null ? null : (amounts[estimate] ?? 0),
  };
}

/** Returns the amounts of a charge type, in the order of its row in the charging table. */
export function amountsOf(charging: Charging): number[] {
  const { amounts }: ChargingRow = CHARGING_TABLE[charging.type];
  return amounts.map((name) => (charging as unknown as Readonly<Record<string, number>>)[name] ?? 0);
}

/** Returns the charging for stored amounts, the inverse of `amountsOf`. */
export function chargingOf(type: ChargingType, amounts: readonly number[]): Charging {
  const row: ChargingRow = CHARGING_TABLE[type];
  const named = row.amounts.map((name, at) => [name, amounts[at] ?? 0]);
  return { type, ...Object.fromEntries(named) } as Charging;
}
