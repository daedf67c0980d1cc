import { describeWithServers, sharedServer } from '@mandate/testing';
import { openTablesOn } from './server-tables.ts';
import { queryPromises } from './what-the-query-service-promises.ts';

describeWithServers(['clickhouse'], 'the query service, on a ClickHouse server:', () => {
  queryPromises(async () => openTablesOn(await sharedServer('clickhouse')));
});
