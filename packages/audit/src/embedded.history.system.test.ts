/**
 * The other half of embedded.contract.system.test.ts. Each test file has its own worker, so the two halves run side
 * by side.
 */
import { auditContract, HISTORY_PARTS } from './contract.ts';
import { inOwnFolder } from './embedded.fixture.ts';

auditContract('ClickHouse in this process', inOwnFolder, HISTORY_PARTS);
