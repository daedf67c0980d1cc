/**
 * Runs the contract on the embedded engine. embedded.history.system.test.ts runs the parts that are missing here. Only
 * a full run has that file, so a short run has one of those parts here.
 */
import { byLength } from '@mandate/testing';
import { auditContract, CONTRACT_PARTS, type ContractPart, HISTORY_PARTS } from './contract.ts';
import { inOwnFolder } from './embedded.fixture.ts';

const alsoHere = byLength<ContractPart[]>({ short: ['migrating'], full: [] });

auditContract(
  'ClickHouse in this process',
  inOwnFolder,
  CONTRACT_PARTS.filter((part) => !HISTORY_PARTS.includes(part) || alsoHere.includes(part)),
);
