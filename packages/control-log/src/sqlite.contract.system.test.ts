import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { describe, onTestFinished } from 'vitest';
import { controlLogContract } from './contract.ts';

describe('the control topic on the log of one machine', () => {
  controlLogContract(async () => {
    const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
    onTestFinished(() => bus.close());
    return bus;
  });
});
