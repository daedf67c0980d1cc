import type { AuditClient } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { epochsInForce } from './epoch-in-force.ts';

test('an epoch that is remembered for another topic does not change the epoch of the decisions topic, even at the same partition and offset', async () => {
  const epochs = epochsInForce({ audit: {} as AuditClient, bus: {} as Bus });
  const position = { topic: TOPICS.decisions, partition: 0, offset: 5 };
  const epoch = { id: 'ep-2', generation: 2 };
  epochs.remember(position, epoch);
  for (const topic of [TOPICS.deadLetters, TOPICS.access, TOPICS.control]) {
    epochs.remember({ ...position, topic }, null);
    expect(await epochs.before({ ...position, topic })).toBeNull();
  }
  expect(await epochs.before(position)).toEqual(epoch);
});
