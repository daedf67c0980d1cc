import { createRequire } from 'node:module';
import { tryResolveLibchdb } from 'chdb/libchdb';
import { MissingServerError } from '../missing-server.ts';

const { version }: { version: string } = createRequire(import.meta.url)('chdb/package.json');

/**
 * Returns the engine that `startClickHouse` runs. `npm ci` installed it.
 *
 * @throws MissingServerError if the package has no engine for this platform
 */
export async function installedClickHouse(): Promise<{ readonly what: string }> {
  if (tryResolveLibchdb() === undefined) {
    throw new MissingServerError(
      `the npm package chdb has no engine for ${process.platform} ${process.arch}: name a server in MANDATE_TEST_CLICKHOUSE_URL`,
    );
  }
  return { what: `ClickHouse of the npm package chdb ${version}` };
}
