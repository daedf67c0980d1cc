/** Checks the settings of a server, so that the server does not lose acknowledged writes. */
import { type Logger, MandateError } from '@mandate/runtime';
import { type Redis, ReplyError } from 'ioredis';
import { ledgerFailure } from './failure.ts';

const LEAST_MAJOR_VERSION = 7;

export type ServerRequirements = {
  /**
   * Default true: refuses a server without an append-only file, because such a server loses its data with every
   * restart. If false, only a warning is logged.
   */
  requireAppendOnly?: boolean;
};

/**
 * Throws LEDGER_UNAVAILABLE if the server does not meet the requirements. The error is not retryable, because waiting
 * does not help.
 */
export async function checkServer(
  server: Redis,
  { requireAppendOnly = true }: ServerRequirements,
  log: Logger,
): Promise<void> {
  const [info, evicts, appends] = await Promise.all([
    server.info('server'),
    settingOf(server, 'maxmemory-policy'),
    settingOf(server, 'appendonly'),
  ]).catch((error: unknown) => {
    throw ledgerFailure(error);
  });
  const version = /redis_version:(\d+)/.exec(info)?.[1];
  if (Number(version) < LEAST_MAJOR_VERSION) {
    throw unsuitable(`it is version ${version}`, `Use Redis ${LEAST_MAJOR_VERSION}.0 or later.`);
  }
  if (evicts === null || appends === null) {
    log.warn('Redis does not show its settings: check noeviction and the append-only file yourself');
    return;
  }
  if (evicts !== 'noeviction') {
    throw unsuitable(`its maxmemory-policy is ${evicts}`, 'Set maxmemory-policy to noeviction.');
  }
  if (appends === 'yes') return;
  if (requireAppendOnly) throw unsuitable('it has no append-only file', 'Set appendonly to yes.');
  log.warn('Redis has no append-only file: after each restart of Redis, the ledger must be rebuilt');
}

/** Returns the value of a setting. Null if a hosted server does not show its settings. */
async function settingOf(server: Redis, name: string): Promise<string | null> {
  try {
    const [, value] = (await server.config('GET', name)) as [string?, string?];
    return value ?? null;
  } catch (error) {
    if (error instanceof ReplyError) return null;
    throw error;
  }
}

/** Returns the name of the server run, in the format of scripts/parts/clock.lua. */
export async function runOf(server: Redis): Promise<string> {
  const info = await server.info('replication').catch((error: unknown) => {
    throw ledgerFailure(error);
  });
  return /master_replid:([0-9a-f]+)/.exec(info)?.[1] ?? '';
}

function unsuitable(what: string, remedy: string): MandateError {
  return new MandateError('LEDGER_UNAVAILABLE', `This Redis cannot hold a ledger: ${what}.`, { remedy });
}
