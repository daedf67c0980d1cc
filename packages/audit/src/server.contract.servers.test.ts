/**
 * The contract over HTTP. The engine is the same as in embedded.contract.system.test.ts and
 * embedded.history.system.test.ts, which always run the whole contract. So a short run tests here only what depends
 * on the transport.
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
