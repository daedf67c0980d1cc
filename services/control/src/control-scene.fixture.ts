/** A control service on its own log, with functions that send requests as different callers. */
import { readControlRecord, TOPICS } from '@mandate/schemas';
import { keyStoreOf } from '@mandate/server';
import { controlOn, openLog, type Sent, type Who } from './control-server.fixture.ts';

export const AGENT = { id: 'bot-1', groups: ['support'], labels: { tier: 'gold' } };
export const READS = { version: 1, id: 'reads', allowedTools: ['read_*'] };
export const RULE = { version: 1, id: 'all-read', policy: 'reads' };

export async function scene() {
  const bus = await openLog();
  const { call, followed } = await controlOn(bus);
  const as =
    (who: Who) =>
    (method: string, path: string, body?: unknown, headers: Sent['headers'] = {}) =>
      call(who, method, path, { headers, ...(body !== undefined && { body }) });
  const records = async () => {
    const seen: ReturnType<typeof readControlRecord>[] = [];
    const reader = await bus.read({
      topics: [TOPICS.control],
      from: 'earliest',
      onRecords: (batch) => void seen.push(...batch.map(({ value }) => readControlRecord(value))),
    });
    await reader.caughtUp;
    await reader.stop();
    return seen;
  };
  return {
    bus,
    author: as('author'),
    auditor: as('auditor'),
    other: as('other'),
    records,
    keys: keyStoreOf(followed.apiKeys),
  };
}
