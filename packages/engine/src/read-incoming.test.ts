import { pinnedIn, recordHeaders, TOPICS, topicOfTenant } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { readIncoming } from './read-incoming.ts';

const PINNED = { pinned: ['context.environment'], pinnedBy: 'abcdefghijkl' };
const value = Buffer.from(
  JSON.stringify({
    event: 'action.requested',
    action: { id: 'a', agentId: 'bot', type: 'tool_call', tool: 'look' },
  }),
);
const incoming = (topic: string, headers: Readonly<Record<string, string>>) => ({
  source: { topic, partition: 0, offset: 0 },
  appendedAtMs: 0,
  key: null,
  value,
  pinned: pinnedIn(headers),
});
const headers = recordHeaders(
  { id: 'r', event: 'action.requested' },
  { source: 'gateway', traceparent: null, pinned: PINNED },
);

test('takes the pinned fields from the headers that gateways write', () => {
  expect(readIncoming(incoming(TOPICS.actions, headers), Date.now)).toMatchObject({ action: PINNED });
});

test("treats every field on a tenant's own topic as a claim, whatever the headers contain", () => {
  const read = readIncoming(incoming(topicOfTenant('acme'), headers), Date.now);
  expect(read).toMatchObject({ kind: 'action', tenant: 'acme' });
  expect(read).not.toHaveProperty('action.pinned');
});

test.each(['x', '{}', '[]', '{"pinned":[],"pinnedBy":"abcdefghijkl"}', '{"pinned":["a"],"pinnedBy":"../"}'])(
  'ignores a malformed header: %s',
  (text) => {
    expect(pinnedIn({ 'mandate-pinned': text })).toBe(null);
  },
);

test('rejects an action that states pinned fields itself', () => {
  const claims = {
    event: 'action.requested',
    action: { id: 'a', agentId: 'b', type: 'tool_call', tool: 't', ...PINNED },
  };
  const read = readIncoming(
    { ...incoming(TOPICS.actions, {}), value: Buffer.from(JSON.stringify(claims)) },
    Date.now,
  );
  expect(read.kind).toBe('bad');
});

test('uses the object that this process wrote, and does not parse the value', () => {
  const written = {
    event: 'action.requested',
    action: { id: 'w', agentId: 'bot', type: 'tool_call', tool: 'look' },
  } as const;
  const known = { ...incoming(TOPICS.actions, {}), value: Buffer.from('no JSON'), written };
  expect(readIncoming(known, Date.now)).toMatchObject({ kind: 'action', action: { id: 'w' } });
  const epoch = { id: 'ep-1', generation: 1, previous: null, reason: 'r', at: '2026-01-01T00:00:00.000Z' };
  const foreign = { ...known, written: { event: 'ledger.epoch' as const, epoch } };
  expect(readIncoming(foreign, Date.now)).toMatchObject({ kind: 'bad' });
});
