import { describeWithOwnServers, runs, startRedis } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import { ledgerContract, ledgerHistories } from '../contract.ts';
import { makeOn } from './fresh-ledger.fixture.ts';

describeWithOwnServers(['redis'], 'on one server', () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
  });
  afterAll(() => server.stop());

  const make = makeOn(() => ({ url: server.url }));

  ledgerContract('the Redis ledger', make);
  ledgerHistories('the Redis ledger', make, { numRuns: runs(60), maxLength: 40 });
});
