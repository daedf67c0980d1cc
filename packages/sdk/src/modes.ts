/** Opens the decision point of a mode. */
import { openAudit } from './audit.ts';
import { customPrices } from './custom-charge.ts';
import type { DecisionPoint } from './decision-point.ts';
import { distributedPoint } from './distributed/distributed-point.ts';
import { RedisStateManager } from './distributed/redis-state.ts';
import { misused, refuseOption } from './errors.ts';
import { localPoint } from './local/local-point.ts';
import type { OpenOptions } from './mandate.ts';
import { planePoint } from './plane/plane-point.ts';
import { MemoryStateManager } from './state.ts';

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
export function openPoint(options: OpenOptions): DecisionPoint {
  checkOptions(options);
  const { mode = 'local', mandate, agentId, clock, state, onError } = options;
  if (mode === 'plane') return planePoint(options);
  // A state that the program passes may belong to other instances too, so it stays open.
  const closesState = state === undefined;
  const common = { mandate, agentId, closesState, openAudit: () => openAudit(options.audit, onError) };
  if (mode === 'distributed') {
    refuseOption(mode, options, 'charge', 'Price the tools in the mandate.');
    return distributedPoint({ ...common, state: redisState(options), onError });
  }
  if (mode !== 'local')
    throw misused(`There is no mode "${mode}".`, 'Use the mode "local", "distributed" or "plane".');
  if (state instanceof RedisStateManager)
    throw misused('Local mode cannot use a state in Redis.', 'Set `mode: "distributed"`.');
  const own = state ?? new MemoryStateManager(clock === undefined ? {} : { clock });
  const prices = options.charge && customPrices(options.charge, onError);
  return localPoint({ ...common, state: own, prices });
}

function redisState({ state, redis, redisPrefix, clock, onError }: OpenOptions): RedisStateManager {
  if (clock !== undefined)
    throw misused('Distributed mode has the clock of Redis.', 'Leave `clock` out, or use local mode.');
  if (state instanceof RedisStateManager) return state;
  if (state !== undefined || redis === undefined)
    throw misused('Distributed mode has no Redis.', 'Set `redis: "redis://…"`, or give a RedisStateManager.');
  return new RedisStateManager({
    url: redis,
    onError,
    ...(redisPrefix !== undefined && { prefix: redisPrefix }),
  });
}

/** The mode that each option needs. Null: local mode uses the option too. */
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
  reporterKey: 'plane',
  timeoutMs: 'plane',
  whenPlaneIsAway: 'plane',
  kafka: 'plane',
};

/**
 * Refuses options that would have no effect, so that a misspelt name cannot leave an agent without a limit.
 *
 * @throws MandateError SDK_MISUSED
 */
function checkOptions(options: OpenOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name))
      throw misused(`There is no option "${name}".`, `These exist: ${Object.keys(OPTIONS).join(', ')}.`);
    const mode = OPTIONS[name as keyof OpenOptions];
    if (mode !== null && value !== undefined && options.mode === undefined)
      throw misused(`The option "${name}" has no effect in local mode.`, `Set \`mode: "${mode}"\`.`);
  }
  const { onDefer = 'throw', deferTimeoutMs = 0 } = options;
  if (onDefer !== 'throw' && onDefer !== 'wait')
    throw misused(`onDefer is ${JSON.stringify(onDefer)}.`, 'Use "throw" or "wait".');
  if (!(deferTimeoutMs >= 0))
    throw misused(`deferTimeoutMs is ${deferTimeoutMs}.`, 'Use a number of milliseconds.');
}
