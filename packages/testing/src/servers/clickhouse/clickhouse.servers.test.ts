import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../temporary-folder.ts';
import { waitUntil } from '../../wait-until.ts';
import { nothingListens } from '../nothing-listens.ts';
import { describeWithOwnServers, describeWithServers, sharedServer } from '../with-servers.ts';
import { startClickHouse } from './start-clickhouse.ts';

function connect(url: string, username = 'default', password = ''): ClickHouseClient {
  const client = createClient({ url, username, password, log: { level: ClickHouseLogLevel.OFF } });
  onTestFinished(() => client.close());
  return client;
}

async function rows(client: ClickHouseClient, query: string): Promise<unknown[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json();
}

describeWithServers(['clickhouse'], 'the ClickHouse of the run', () => {
  it('answers a query', async () => {
    expect(await rows(connect(await sharedServer('clickhouse')), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describeWithOwnServers(['clickhouse'], 'startClickHouse', () => {
  it('keeps its data after SIGTERM and SIGKILL', async () => {
    await using server = await startClickHouse();
    const client = connect(server.url);
    await client.command({ query: 'CREATE TABLE kept (n Int64) ENGINE = MergeTree ORDER BY n' });
    await client.insert({ table: 'kept', values: [{ n: 1 }], format: 'JSONEachRow' });
    await server.restart();
    await client.insert({ table: 'kept', values: [{ n: 2 }], format: 'JSONEachRow' });
    await server.kill();
    await server.restart();
    expect(await rows(client, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('merges parts and logs queries', async () => {
    await using server = await startClickHouse();
    const client = connect(server.url);
    await client.command({ query: 'CREATE TABLE merged (n Int64) ENGINE = MergeTree ORDER BY n' });
    for (const n of [1, 2]) await client.insert({ table: 'merged', values: [{ n }], format: 'JSONEachRow' });
    await client.command({ query: 'OPTIMIZE TABLE merged FINAL' });
    const parts = `SELECT count() AS parts FROM system.parts WHERE table = 'merged' AND active`;
    expect(await rows(client, parts)).toEqual([{ parts: 1 }]);
    const logged = `SELECT query FROM system.query_log WHERE query LIKE 'OPTIMIZE%' AND type = 'QueryFinish'`;
    // ClickHouse logs a query only a moment after its answer.
    await waitUntil('it to be logged', async () => {
      await client.command({ query: 'SYSTEM FLUSH LOGS' });
      return (await rows(client, logged)).length === 1;
    });
  });

  it('enforces password, grants, row filters and quota of its users', async () => {
    const usersFile = join(temporaryFolder(), 'users.xml');
    await writeFile(usersFile, USERS);
    await using server = await startClickHouse({ usersFile });
    const admin = connect(server.url);
    await admin.command({ query: 'CREATE TABLE seen (tenant String) ENGINE = MergeTree ORDER BY tenant' });
    const values = [{ tenant: 'a' }, { tenant: 'b' }];
    await admin.insert({ table: 'seen', values, format: 'JSONEachRow' });

    const reader = connect(server.url, 'reader', 'secret');
    expect(await rows(reader, 'SELECT * FROM seen')).toEqual([{ tenant: 'a' }]);
    await expect(reader.command({ query: 'DROP TABLE seen' })).rejects.toThrow(/readonly|privileges/);
    await expect(rows(reader, `SELECT * FROM file('/etc/hostname', LineAsString)`)).rejects.toThrow(
      'READ ON FILE',
    );
    await expect(rows(connect(server.url, 'reader', 'wrong'), 'SELECT 1')).rejects.toThrow('Authentication');

    const hurried = connect(server.url, 'hurried', 'secret');
    // This query does not count for the quota, because it reads no table.
    expect(await rows(hurried, 'SELECT * FROM seen')).toHaveLength(2);
    await expect(rows(hurried, 'SELECT * FROM seen')).rejects.toThrow('Quota');
  });

  it('answers nothing while paused', async () => {
    await using server = await startClickHouse();
    server.pause();
    const asked = fetch(`${server.url}/ping`, { signal: AbortSignal.timeout(100) });
    await expect(asked).rejects.toThrow('timeout');
    server.resume();
    expect(await (await fetch(`${server.url}/ping`)).text()).toBe('Ok.\n');
  });

  it('leaves no process and no files when stopped', async () => {
    const server = await startClickHouse();
    await server.stop();
    expect(await nothingListens(server.port)).toBe(true);
    expect(existsSync(server.folder)).toBe(false);
  });
});

const USERS = `<clickhouse>
  <profiles><default/><readonly><readonly>1</readonly></readonly></profiles>
  <quotas>
    <default/>
    <one><interval><duration>3600</duration><queries>1</queries></interval></one>
  </quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <reader>
      <password>secret</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>readonly</profile>
      <quota>default</quota>
      <grants><query>GRANT SELECT ON default.*</query></grants>
      <databases><default><seen><filter>tenant = 'a'</filter></seen></default></databases>
    </reader>
    <hurried>
      <password>secret</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>readonly</profile>
      <quota>one</quota>
    </hurried>
  </users>
</clickhouse>`;
