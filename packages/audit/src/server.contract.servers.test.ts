import { describeWithServers } from '@mandate/testing';
import { auditContract } from './contract.ts';
import { onSharedServer } from './server.fixture.ts';

describeWithServers(['clickhouse'], 'over HTTP,', () => {
  auditContract('ClickHouse as a server', onSharedServer);
});
