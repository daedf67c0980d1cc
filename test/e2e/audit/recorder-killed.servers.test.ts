import { describeWithServers, sharedServer } from '@mandate/testing';
import { freshDatabase, openTablesOn } from './server-tables.ts';
import { killedRecorder } from './what-a-killed-recorder-leaves.ts';

describeWithServers(['clickhouse'], 'a recorder on a ClickHouse server:', () => {
  killedRecorder(async () => {
    const address = await sharedServer('clickhouse');
    const database = freshDatabase();
    return { open: () => openTablesOn(address, { database }), args: [address, database] };
  });
});
