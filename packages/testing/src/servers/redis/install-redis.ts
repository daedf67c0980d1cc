import { type InstalledProgram, installedProgram } from '../installed-program.ts';

/** The oldest major version of Redis that has the script feature of Mandate: `#!lua` with flags. */
const OLDEST_MAJOR = 7;

let found: Promise<InstalledProgram> | undefined;

/** @throws MissingServerError if redis-server and apt-get are both missing */
export function installedRedis(): Promise<InstalledProgram> {
  found ??= installedProgram({
    name: 'redis-server',
    versionOption: '--version',
    versionIn: (told) => {
      const version = /v=(\d+\.\d+\.\d+)/.exec(told)?.[1] ?? '';
      return Number.parseInt(version, 10) >= OLDEST_MAJOR ? version : undefined;
    },
    orInstall: `install redis-server ${OLDEST_MAJOR} or later, or name one in MANDATE_TEST_REDIS_URL`,
  });
  return found;
}
