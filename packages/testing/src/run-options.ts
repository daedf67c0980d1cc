/** How this run of the tests was asked for: by `npm run test:faults`, or by hand in the environment. */

/** What random choices are drawn from. `SEED=123` repeats a run; with `SEED=random` each process draws its own. */
export const SEED: number =
  process.env.SEED === 'random' ? Date.now() % 2 ** 31 : Number(process.env.SEED ?? 20_261_121);

/** `FAULTS_LONG=1`: faults that come thousands of times, and for half an hour. */
export const IS_LONG: boolean = process.env.FAULTS_LONG === '1';

/** How long the soak goes on, by `SOAK_MINUTES`: else half an hour, or just long enough to show that it works. */
export const SOAK_MS: number =
  process.env.SOAK_MINUTES === undefined
    ? IS_LONG
      ? 30 * 60_000
      : 8_000
    : 60_000 * Number(process.env.SOAK_MINUTES);

/**
 * The attack with everything at once, by `ATTACK_SECONDS`. Where nothing is said it is short, and its limits of time are
 * those of a machine that has much else to do.
 */
export const ATTACK: { ms: number; isMeasured: boolean } = {
  ms: 1_000 * Number(process.env.ATTACK_SECONDS ?? 5),
  isMeasured: process.env.ATTACK_SECONDS !== undefined,
};
