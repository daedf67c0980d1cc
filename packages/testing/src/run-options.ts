/**
 * The options of this test run. They come from an npm script, from `npm run test:faults`, or from the environment.
 */

/** The seed of random choices. `SEED=123` repeats a run; with `SEED=random` each process draws its own. */
export const SEED: number =
  process.env.SEED === 'random' ? Date.now() % 2 ** 31 : Number(process.env.SEED ?? 20_261_121);

const LENGTHS = ['short', 'full', 'long'] as const;

/**
 * How much of its loops and random searches a test runs, by `TEST_LENGTH`:
 * - `short` in `npm test`: a quarter or less;
 * - `full` in `npm run test:full`, `test:explore`, `test:faults` and `test:mutations`;
 * - `long` in `npm run test:faults -- --long`: thousands of faults, and a soak of half an hour.
 */
export const TEST_LENGTH: (typeof LENGTHS)[number] = readLength(process.env.TEST_LENGTH);

export const IS_LONG: boolean = TEST_LENGTH === 'long';
/** True in `npm test`. `test.skipIf(IS_SHORT)` marks a test that only a full run has: docs/testing.md. */
export const IS_SHORT: boolean = TEST_LENGTH === 'short';

/** Returns the value for the length of this run. */
export function byLength<T>(values: { short: T; full: T; long?: T }): T {
  return values[TEST_LENGTH] ?? values.full;
}

/**
 * Returns `numRuns` for a random search: `full` in a full run, and a quarter of it but at least 20 in a short run.
 * @param full the number of runs in a full run
 */
export function runs(full: number): number {
  return byLength({ short: Math.min(full, Math.max(20, Math.ceil(full / 4))), full });
}

/**
 * Returns how often an event must happen during a search. In a short run a fifth of `full` is enough, because chance
 * may reduce the number.
 */
export function hits(full: number): number {
  return byLength({ short: Math.floor(full / 5), full });
}

/**
 * How long the soak test lasts, by `SOAK_MINUTES`. Default: half an hour in a long run, otherwise just long enough to
 * show that it works.
 */
export const SOAK_MS: number =
  process.env.SOAK_MINUTES === undefined
    ? byLength({ short: 8_000, full: 8_000, long: 30 * 60_000 })
    : 60_000 * Number(process.env.SOAK_MINUTES);

/**
 * How long the attack with all faults at once lasts, by `ATTACK_SECONDS`. Without the variable the attack is short,
 * and its time limits are long enough for a busy machine.
 */
export const ATTACK: { ms: number; isMeasured: boolean } = {
  ms: 1_000 * Number(process.env.ATTACK_SECONDS ?? 5),
  isMeasured: process.env.ATTACK_SECONDS !== undefined,
};

function readLength(text = 'short'): (typeof LENGTHS)[number] {
  const known = LENGTHS.find((length) => length === text);
  if (known === undefined) throw new RangeError(`TEST_LENGTH is ${text}; it can be ${LENGTHS.join(', ')}`);
  return known;
}
