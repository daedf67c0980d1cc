/** Makes a client for the plane that the options, the environment or a profile name. */
import { type ApiClient, createApiClient } from '@mandate/client';
import { failureOf, HOW_TO_AUTHENTICATE } from './api-failure.ts';
import type { CommandContext } from './command-context.ts';
import { WrongUse } from './exit-codes.ts';
import { type Connection, findConnection } from './profiles/find-connection.ts';
import { readProfiles } from './profiles/profile-file.ts';

export function connect({ globals, env, signal }: CommandContext): ApiClient {
  return clientOf(
    findConnection(globals, env, () => readProfiles(env)),
    signal,
  );
}

export function clientOf(connection: Connection, signal: AbortSignal): ApiClient {
  return createApiClient({ ...connection, key: goodKey(connection.key), signal, failure: failureOf });
}

function goodKey(key: string): string {
  if (key === '') throw new WrongUse('an API key is needed', HOW_TO_AUTHENTICATE);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new WrongUse('the API key has characters that no key has', 'Copy the whole key, from sk- on.');
}
