import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { silentLogger, systemClock } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { appendEpoch } from './ledger-epoch.ts';

test('begins an epoch on every partition, including partitions that are added at the same time', async () => {
  const path = join(temporaryFolder(), 'log.sqlite');
  const bus = await createSqliteBus({ path, log: silentLogger(), partitions: 3 });
  onTestFinished(() => bus.close());
  let known = 1;
  const growing: Bus = { ...bus, ranges: async (topic) => (await bus.ranges(topic)).slice(0, known++) };
  await appendEpoch(growing, systemClock, { id: 'ep', previous: null, reason: 'test', generation: 1 });
  expect((await bus.ranges(TOPICS.decisions)).map(({ endOffset }) => endOffset)).toEqual([1, 1, 1]);
});
