import { describeWithServers, sharedServer } from '@mandate/testing';
import { openTablesOn } from './server-tables.ts';
import { recorderPromises } from './what-the-recorder-promises.ts';

describeWithServers(['clickhouse'], 'the recorder, on a ClickHouse server:', () => {
  recorderPromises(async () => openTablesOn(await sharedServer('clickhouse')));
});
