import { describeWithServers, sharedServer } from '@mandate/testing';
import { recorderPromises } from './suites/recorder.ts';
import { openTablesOn } from './support/server-tables.ts';

describeWithServers(['clickhouse'], 'the recorder, on a ClickHouse server:', () => {
  recorderPromises(async () => openTablesOn(await sharedServer('clickhouse')));
});
