/**
 * Runs the contract over HTTP. Other test files run the contract on the same engine in their own process. So a short run
 * tests here only the parts that depend on the transport.
 */
import { byLength, describeWithServers } from '@mandate/testing';
import { auditContract, CONTRACT_PARTS, TRANSPORT_PARTS } from './contract.ts';
import { onSharedServer } from './server.fixture.ts';

describeWithServers(['clickhouse'], 'over HTTP,', () => {
  auditContract(
    'ClickHouse as a server',
    onSharedServer,
    byLength({ short: TRANSPORT_PARTS, full: CONTRACT_PARTS }),
  );
});
