/** Reads the options of the default instance from the environment. The `mandate` command reads the same variables. */
import { MandateError } from '@mandate/runtime/errors';
import type { MandateOptions } from './mandate.ts';

/** The name of each variable, and the option that it sets. */
const NAMES = {
  MANDATE_MODE: 'mode',
  MANDATE_AGENT_ID: 'agentId',
  MANDATE_FILE: 'mandate',
  MANDATE_URL: 'planeUrl',
  MANDATE_API_KEY: 'apiKey',
  MANDATE_REDIS_URL: 'redis',
} as const;

/**
 * Options that only one mode reads. In the other modes they are ignored, because the `mandate` command reads the same
 * variables.
 */
const ONLY_IN: Readonly<Record<string, string>> = {
  mandate: 'local distributed',
  planeUrl: 'plane',
  apiKey: 'plane',
  redis: 'distributed',
};

/** The SDK reads no variable with this prefix. Such a name is a mistake, and must not count as an absent variable. */
const RESERVED_PREFIX = 'MANDATE_SDK_';

/**
 * Returns the options that the environment states. An empty variable counts as absent.
 *
 * @throws MandateError CONFIG_INVALID if a variable of the SDK has an unknown name
 */
export function optionsFromEnvironment(
  env: Readonly<Record<string, string | undefined>> = process.env,
): MandateOptions {
  const unknown = Object.keys(env).filter((name) => name.startsWith(RESERVED_PREFIX));
  if (unknown.length > 0) {
    throw new MandateError('CONFIG_INVALID', `The SDK does not know ${unknown.sort().join(', ')}.`, {
      remedy: `Remove it. The SDK reads ${Object.keys(NAMES).join(', ')}.`,
    });
  }
  const stated = Object.entries(NAMES).flatMap(([name, option]) => {
    const value = env[name]?.trim();
    return value === undefined || value === '' ? [] : [[option, value] as const];
  });
  const { mode, ...others } = Object.fromEntries(stated);
  const used = Object.entries(others).filter(
    ([option]) => ONLY_IN[option]?.split(' ').includes(mode ?? 'local') ?? true,
  );
  // `openPoint` refuses a mode that does not exist.
  return { ...(mode !== undefined && { mode }), ...Object.fromEntries(used) } as MandateOptions;
}
