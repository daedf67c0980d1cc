/** Refuses options that would have no effect, so that a misspelt name cannot leave an agent without a limit. */
import { misused } from './errors.ts';
import type { OpenOptions } from './mandate.ts';

/** Each option, with the only mode that uses it. Null: several modes use it. */
const OPTIONS: { readonly [Name in keyof Required<OpenOptions>]: 'distributed' | 'plane' | null } = {
  mode: null,
  agentId: null,
  mandate: null,
  runId: null,
  charge: null,
  state: null,
  clock: null,
  audit: null,
  onError: null,
  onDefer: null,
  deferTimeoutMs: null,
  onDeferred: null,
  redis: 'distributed',
  redisPrefix: 'distributed',
  planeUrl: 'plane',
  apiKey: 'plane',
  timeoutMs: 'plane',
  whenPlaneIsAway: 'plane',
  kafka: 'plane',
};

/** @throws MandateError SDK_MISUSED */
export function checkOptions(options: OpenOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name))
      throw misused(`There is no option "${name}".`, `These exist: ${Object.keys(OPTIONS).join(', ')}.`);
    const mode = OPTIONS[name as keyof OpenOptions];
    if (mode !== null && value !== undefined && options.mode === undefined)
      throw misused(`The option "${name}" has no effect in local mode.`, `Set \`mode: "${mode}"\`.`);
  }
}
