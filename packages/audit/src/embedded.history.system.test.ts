/**
 * Runs the parts that embedded.contract.system.test.ts leaves out. Each test file has its own worker, so the two
 * files run in parallel.
 */
import { auditContract, HISTORY_PARTS } from './contract.ts';
import { inOwnFolder } from './embedded.fixture.ts';

auditContract('ClickHouse in this process', inOwnFolder, HISTORY_PARTS);
