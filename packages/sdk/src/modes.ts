/** Opens the decision point of a mode. */
import { MandateError } from '@mandate/runtime/errors';
import { openAudit } from './audit.ts';
import type { DecisionPoint } from './decision-point.ts';
import { distributedPoint } from './distributed/distributed-point.ts';
import { RedisStateManager } from './distributed/redis-state.ts';
import { localPoint } from './local/local-point.ts';
import { type MandateOptions, safely } from './mandate.ts';
import { planePoint } from './plane/plane-point.ts';
import { MemoryStateManager } from './state.ts';

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE, SDK_MISUSED */
export function openPoint(options: MandateOptions): DecisionPoint {
  const { mode = 'local', mandate, agentId, clock, state } = options;
  if (mode === 'plane') return planePoint({ ...options, onError: safely(options.onError) });
  // A state that was given may belong to other instances too, so it stays open.
  const closesState = state === undefined;
  const openAuditOnce = () => openAudit(options.audit, safely(options.onError));
  if (mode === 'distributed') {
    const shared = redisState(options);
    return distributedPoint({ mandate, agentId, state: shared, audit: openAuditOnce(), closesState });
  }
  if (mode !== 'local')
    throw misused(`There is no mode "${mode}".`, 'Use the mode "local", "distributed" or "plane".');
  if (state instanceof RedisStateManager)
    throw misused('Local mode cannot use a state in Redis.', 'Set `mode: "distributed"`.');
  const own = state ?? new MemoryStateManager(clock === undefined ? {} : { clock });
  return localPoint({ mandate, agentId, state: own, audit: openAuditOnce(), closesState });
}

function redisState({ state, redis, redisPrefix, clock, onError }: MandateOptions): RedisStateManager {
  if (clock !== undefined)
    throw misused('Distributed mode has the clock of Redis.', 'Leave `clock` out, or use local mode.');
  if (state instanceof RedisStateManager) return state;
  if (state !== undefined || redis === undefined)
    throw misused('Distributed mode has no Redis.', 'Set `redis: "redis://…"`, or give a RedisStateManager.');
  return new RedisStateManager({
    url: redis,
    onError: safely(onError),
    ...(redisPrefix !== undefined && { prefix: redisPrefix }),
  });
}

function misused(message: string, remedy: string): MandateError {
  return new MandateError('SDK_MISUSED', message, { remedy });
}
