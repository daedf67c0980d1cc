/**
 * Runs the query service alone. The audit tables and the log are on servers or in a folder. Both log and folder have
 * API keys.
 */
import { MIGRATIONS_DIRECTORY, migrate, openAudit } from '@mandate/audit';
import { openControl } from '@mandate/control-log';
import { answers, makeDataFolder, systemClock } from '@mandate/runtime';
import { apiSettings, fileKeyStore, keysInForce, runService } from '@mandate/server';
import manifest from '../package.json' with { type: 'json' };
import { queryConfig } from './config.ts';
import { openQuery } from './open-query.ts';
import { openQueryLog } from './open-query-log.ts';

await runService(process, {
  name: 'query',
  manifest,
  schema: queryConfig,
  settings: apiSettings('QUERY'),
  async open({ config, ...parts }) {
    const { log, closing } = parts;
    const folder = makeDataFolder(config.QUERY_DATA_PATH);
    const audit = closing(await openAudit(config, { path: folder.audit }), (held) => held.close());
    // Tables in a folder are created and migrated here. On a server, the recorder does this, so this service does not
    // need the right to do it.
    if (config.CLICKHOUSE_URL === undefined) await migrate(audit, MIGRATIONS_DIRECTORY);
    const bus = closing(await openQueryLog(config, { folder, log }), (held) => held?.close());
    const ofFolder = fileKeyStore(folder.keys);
    const followed = bus && (await openControl(config, { ...parts, bus, folder })).followed;
    const { routes, readiness } = openQuery(config, { ...parts, audit, bus, clock: systemClock });
    return {
      keys: followed === null ? ofFolder : keysInForce(followed, ofFolder),
      ...(followed !== null && { quotas: followed.mandates.quotas }),
      readiness: async () => [
        ...(await readiness()),
        ...(bus === null ? [] : [await answers('log', bus.ping())]),
      ],
      routes,
    };
  },
});
