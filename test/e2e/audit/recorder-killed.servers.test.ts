import { describeWithServers, sharedServer } from '@mandate/testing';
import { killedRecorder } from './suites/killed-recorder.ts';
import { freshDatabase, openTablesOn } from './support/server-tables.ts';

describeWithServers(['clickhouse'], 'a recorder on a ClickHouse server:', () => {
  killedRecorder(async () => {
    const address = await sharedServer('clickhouse');
    const database = freshDatabase();
    return { open: () => openTablesOn(address, { database }), args: [address, database] };
  });
});
