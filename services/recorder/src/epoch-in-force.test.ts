import type { AuditClient } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { epochsInForce } from './epoch-in-force.ts';

test('what was read of another topic says nothing of the decisions, though partition and offset are the same', async () => {
  const epochs = epochsInForce({ audit: {} as AuditClient, bus: {} as Bus });
  const place = { topic: TOPICS.decisions, partition: 0, offset: 5 };
  const epoch = { id: 'ep-2', generation: 2 };
  epochs.remember(place, epoch);
  for (const topic of [TOPICS.deadLetters, TOPICS.access, TOPICS.control]) {
    epochs.remember({ ...place, topic }, null);
    expect(await epochs.before({ ...place, topic })).toBeNull();
  }
  expect(await epochs.before(place)).toEqual(epoch);
});
