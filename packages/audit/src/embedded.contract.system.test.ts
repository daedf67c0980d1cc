/** Runs the contract on the embedded engine. embedded.history.system.test.ts runs the parts that are missing here. */
import { auditContract, CONTRACT_PARTS, HISTORY_PARTS } from './contract.ts';
import { inOwnFolder } from './embedded.fixture.ts';

auditContract(
  'ClickHouse in this process',
  inOwnFolder,
  CONTRACT_PARTS.filter((part) => !HISTORY_PARTS.includes(part)),
);
