/**
 * Runs the query service as the ClickHouse user from infra/clickhouse. The row policies of that user remove nothing
 * from its answers.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServerAudit } from '@mandate/audit';
import { type ClickHouseServer, describeWithOwnServers, startClickHouse } from '@mandate/testing';
import { beforeAll, vi } from 'vitest';
import { queryPromises } from './suites/query-service.ts';
import { openTablesOn } from './support/server-tables.ts';

const USERS = join(import.meta.dirname, '../../../infra/clickhouse/users.d');
const ADMIN = `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks></default></users>
</clickhouse>`;
const PASSWORD = 'secret';

describeWithOwnServers(
  ['clickhouse'],
  'the query service, as a ClickHouse user that may only read its tenants:',
  () => {
    let server: ClickHouseServer;
    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mandate-users-'));
      writeFileSync(join(folder, 'users.xml'), ADMIN);
      cpSync(USERS, join(folder, 'users.d'), { recursive: true });
      const hash = createHash('sha256').update(PASSWORD).digest('hex');
      for (const user of ['MIGRATOR', 'RECORDER', 'QUERY'])
        vi.stubEnv(`MANDATE_CLICKHOUSE_${user}_SHA256`, hash);
      server = await startClickHouse({ usersFile: join(folder, 'users.xml') });
      vi.unstubAllEnvs();
      return async () => {
        await server.stop();
        rmSync(folder, { recursive: true });
      };
    });

    queryPromises(
      async () => openTablesOn(server.url, { database: 'mandate' }),
      async () =>
        openServerAudit({
          url: server.url,
          username: 'mandate_query',
          password: PASSWORD,
          database: 'mandate',
        }),
    );
  },
);
