/** The switch of the builder in the environment. */

const NAME = 'ENABLE_MANIFEST_BUILDER';

/** Returns false if the environment turns the builder off: `ENABLE_MANIFEST_BUILDER=false`, or `0`. */
export function isEnabledIn(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  const stated = env[NAME]?.trim().toLowerCase();
  return stated !== 'false' && stated !== '0';
}
