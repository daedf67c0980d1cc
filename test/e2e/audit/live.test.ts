/** Tests the live audit over sockets: filters, cut connections, restarts, and limits. */

import type { Recorder } from '@mandate/recorder';
import type { AgentKilled, ApiKeyRecord } from '@mandate/schemas';
import { issueApiKey, type KeyStore, memoryKeyStore } from '@mandate/server';
import { byLength, seededRandom, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Listening, type LiveEvent, listen } from './support/live-events.ts';
import { decided, epochBegan, killed, settled } from './support/log-records.ts';
import { queryServer } from './support/query-server.ts';
import { everyDecision, openRecording, type Recording } from './support/recording.ts';

const auditor = issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'auditor' });
const another = issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'another' });
const publisher = issueApiKey({ tenant: 'acme', scopes: ['publish'], agents: ['*'], name: 'publisher' });
const stranger = issueApiKey({ tenant: 'globex', scopes: ['audit'], agents: ['*'], name: 'stranger' });

let recording: Recording;
let recorder: Recorder;
beforeAll(async () => {
  recording = await openRecording();
  recorder = await recording.record();
});
afterAll(() => recording.close());

async function serve(
  keys: KeyStore = memoryKeyStore([auditor, another, publisher, stranger].map(({ record }) => record)),
) {
  const server = await queryServer(recording.audit, keys);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const stop = async () => {
    await server.close();
  };
  onTestFinished(async () => {
    server.server.closeAllConnections();
    await stop();
  });
  return { url, stop };
}

async function listening(
  url: string,
  options: Parameters<typeof listen>[2] = {},
  { key } = auditor,
): Promise<Listening> {
  const stream = await listen(url, key, options);
  onTestFinished(stream.leave);
  return stream;
}

let numbered = 0;
let ledgerEpoch = 'ep-1';
/** Returns decisions with the current time, each with its own number. */
function fresh(count: number, facts: Parameters<typeof decided>[1] = {}) {
  const decidedAt = new Date().toISOString();
  return Array.from({ length: count }, () =>
    decided(++numbered, { decidedAt, ledgerEpoch, agentId: `agent-${numbered % 3}`, ...facts }),
  );
}

/** Returns a kill with the current time and its own id. */
function freshKill(target: AgentKilled['kill']['target']): AgentKilled {
  const { event, kill } = killed(`kill-${++numbered}`, target);
  return { event, kill: { ...kill, at: new Date().toISOString() } };
}

/** Begins a new epoch with a record on every partition. From then on, `fresh` makes decisions of this epoch. */
async function beginEpoch(id: string): Promise<void> {
  const { event, epoch } = epochBegan(id);
  const began = { event, epoch: { ...epoch, at: new Date().toISOString() } };
  for (const partition of [0, 1]) await recording.append([began], partition);
  ledgerEpoch = id;
}

const ids = (events: readonly LiveEvent[]) => events.map(({ data }) => String(data.id));

test('a stream delivers decisions as they are recorded, with the fields and filters of a search', async () => {
  const { url } = await serve();
  await recorder.caughtUp();
  const all = await listening(url);
  const blocked = await listening(url, { query: '?verdict=BLOCK&verdict=DEFER&agent=agent-x' });
  expect(all.headers.get('content-type')).toBe('text/event-stream');
  const block = fresh(1, { agentId: 'agent-x', verdict: 'BLOCK', code: 'TOOL_DENIED', chargedMicros: 0 });
  const records = [...fresh(5), ...block, ...fresh(2, { agentId: 'agent-x' })];
  await recording.append(records);
  await waitUntil('all of them', () => all.events.length === 8);
  await waitUntil('the one', () => blocked.events.length === 1);
  expect(ids(blocked.events)).toEqual(block.map(({ decision }) => decision.id));
  expect(ids(all.events).sort()).toEqual(records.map(({ decision }) => decision.id).sort());
  const found = await fetch(`${url}/v1/audit/decisions?agent=agent-x&verdict=BLOCK`, {
    headers: { 'x-api-key': auditor.key },
  });
  expect(((await found.json()) as { decisions: unknown[] }).decisions).toEqual(
    blocked.events.map(({ data }) => data),
  );
});

test('a client that loses its connection and resumes at any process misses nothing and gets nothing twice', async () => {
  const random = seededRandom(7);
  const [one, other] = [await serve(), await serve()];
  await recorder.stop();
  const inPieces = [await recording.record({ maxBatch: 3 }), await recording.record({ maxBatch: 5 })];
  const begun = await listening(one.url);
  let at = await waitUntil('the place where it begins', () => begun.lastId);
  begun.leave();
  const told: LiveEvent[] = [];
  const appended: string[] = [];
  const traffic = (async () => {
    for (let round = 0; round < byLength({ short: 8, full: 20 }); round += 1) {
      const records = fresh(1 + Math.floor(random() * 9));
      // In every fourth round, two records are published again, as deciders sometimes do.
      const again = round % 4 === 3 ? records.slice(0, 2) : [];
      await recording.append([...records, ...again]);
      appended.push(...records.map(({ decision }) => decision.id));
      if (round % 3 !== 0) continue;
      const kill = freshKill(round % 2 === 0 ? { scope: 'all' } : { scope: 'tenant', tenant: 'acme' });
      await recording.append([kill, kill, freshKill({ scope: 'tenant', tenant: 'globex' })], round % 2);
      await beginEpoch(`ep-of-${round}`);
      appended.push(kill.kill.id, `ep-of-${round}`);
    }
  })();
  let isOver = false;
  void traffic.finally(() => {
    isOver = true;
  });
  for (let cuts = 0; !isOver || told.length < appended.length; cuts += 1) {
    const stream = await listen((cuts % 2 === 0 ? one : other).url, auditor.key, {
      lastId: at,
      cutAfter: 1 + Math.floor(random() * 6),
    });
    await waitUntil('some, or all', () => stream.events.length > 0);
    stream.leave();
    await stream.ended;
    told.push(...stream.events);
    at = stream.lastId ?? at;
  }
  await traffic;
  for (const one of inPieces) await one.stop();
  recorder = await recording.record();
  expect(ids(told).sort()).toEqual(appended.sort());
  const decisions = told.filter(({ event }) => event === 'decision');
  for (const agentId of ['agent-0', 'agent-1', 'agent-2']) {
    const offsets = decisions
      .filter(({ data }) => data.agentId === agentId)
      .map(({ data }) => (data.log as { offset: number }).offset);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  }
  expect(await everyDecision(recording.audit)).toEqual(expect.arrayContaining(ids(decisions)));
});

test('a stream delivers earlier events if the client gives a start time', async () => {
  const { url } = await serve();
  const before = fresh(2, { agentId: 'agent-before' });
  await recording.append(before);
  await recorder.caughtUp();
  const now = await listening(url, { query: '?agent=agent-before' });
  const since = await listening(url, { query: '?events=decision&agent=agent-before&since=1h' });
  await waitUntil('those', () => since.events.length === 2);
  expect(ids(since.events)).toEqual(before.map(({ decision }) => decision.id));
  expect(now.events).toEqual([]);
});

test('a stream delivers settlements if the client asks for them', async () => {
  const { url } = await serve();
  const both = await listening(url, { query: '?events=decision&events=settlement&agent=agent-s' });
  const [call] = fresh(1, { agentId: 'agent-s' });
  const settlement = settled(numbered, {
    agentId: 'agent-s',
    ledgerEpoch,
    settledAt: new Date().toISOString(),
  });
  await recording.append([call, settlement].filter((record) => record !== undefined));
  await waitUntil('both', () => both.events.length === 2);
  expect(both.events.map(({ event }) => event).sort()).toEqual(['decision', 'settlement']);
});

test('a stream delivers the actions of operators: those of its own tenant, and those that apply to all tenants', async () => {
  const { url } = await serve();
  await recorder.caughtUp();
  const ours = await listening(url);
  const theirs = await listening(url, { query: '?events=control' }, stranger);
  const kills = await listening(url, { query: '?events=agent.killed&agent=agent-k' });
  const blocked = await listening(url, { query: '?verdict=BLOCK' });
  const [agent, other, tenant, all] = [
    freshKill({ scope: 'agent', tenant: 'acme', agentId: 'agent-k' }),
    freshKill({ scope: 'agent', tenant: 'acme', agentId: 'agent-other' }),
    freshKill({ scope: 'tenant', tenant: 'globex' }),
    freshKill({ scope: 'all' }),
  ];
  await beginEpoch('ep-before');
  await recording.append([agent, other, tenant, all], 1);
  const [block] = fresh(1, { verdict: 'BLOCK', code: 'AGENT_KILLED', chargedMicros: 0 });
  if (block !== undefined) await recording.append([block], 1);
  const idsOf = (...events: AgentKilled[]) => events.map(({ kill }) => kill.id);
  const told = ({ events }: Listening) => ids(events);
  await waitUntil('the last', () => told(ours).length === 5 && told(blocked).length === 1);
  // If a table cannot be queried for a moment, its events arrive later. So the decision may arrive at any place among
  // these events.
  expect(told(ours).filter((id) => id !== block?.decision.id)).toEqual([
    'ep-before',
    ...idsOf(agent, other, all),
  ]);
  expect(told(ours)).toContain(block?.decision.id);
  expect(told(blocked)).toEqual([block?.decision.id]);
  await waitUntil('theirs', () => told(theirs).length === 3);
  expect(told(theirs)).toEqual(['ep-before', ...idsOf(tenant, all)]);
  await waitUntil('the kills', () => told(kills).length === 2);
  expect(told(kills)).toEqual(idsOf(agent, all));
  const listed = await fetch(`${url}/v1/audit/control-events?event=agent.killed&limit=3`, {
    headers: { 'x-api-key': auditor.key },
  });
  const { events } = (await listed.json()) as { events: { id: string }[] };
  const given = ours.events.map(({ data: { log: _, ...data } }) => data);
  expect(given).toEqual(expect.arrayContaining(events));
  expect(JSON.stringify(ours.events)).not.toContain('secret-action');
});

test('a client that listened before control events existed resumes, and gets the later control events', async () => {
  const { url } = await serve();
  await recorder.caughtUp();
  const before = await listening(url, { query: '?events=decision' });
  const lastId = await waitUntil('the place where it begins', () => before.lastId);
  before.leave();
  expect(Buffer.from(lastId, 'base64url').toString()).not.toContain('control');
  const kill = freshKill({ scope: 'all' });
  const decidedAt = new Date(Date.parse(kill.kill.at) + 1).toISOString();
  const [decision] = fresh(1, { decidedAt });
  await recording.append([kill]);
  if (decision !== undefined) await recording.append([decision]);
  await recorder.caughtUp();
  const after = await listening(url, { lastId });
  await waitUntil('both', () => after.events.length === 2);
  expect(ids(after.events)).toEqual([kill.kill.id, decision?.decision.id]);
});

test('a stream has no events of another tenant; a key without the scope and an invalid request are refused', async () => {
  const { url } = await serve();
  const theirs = await listening(url, {}, stranger);
  const ours = await listening(url);
  await recording.append(fresh(1));
  await waitUntil('ours', () => ours.events.length === 1);
  expect(theirs.events).toEqual([]);
  const refused = async (options: Parameters<typeof listen>[2], key = auditor) => {
    const { status, problem } = await listen(url, key.key, options);
    return [status, problem?.code];
  };
  expect(await refused({}, publisher)).toEqual([403, 'FORBIDDEN']);
  expect(await refused({ lastId: 'what' })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await refused({ query: '?events=settlement&tool=rm' })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await refused({ query: '?events=decision&events=control&tool=rm' })).toEqual([
    400,
    'VALIDATION_FAILED',
  ]);
  expect(await refused({ query: '?events=kills' })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await refused({ query: '?from=1h' })).toEqual([400, 'VALIDATION_FAILED']);
});

test('a key and a tenant have a maximum of streams, and a closed stream no longer counts', async () => {
  const { url } = await serve();
  const others = await Promise.all(Array.from({ length: 25 }, () => listening(url, {}, another)));
  expect((await listening(url, {}, another)).status).toBe(503);
  const open = await Promise.all(Array.from({ length: 25 }, () => listening(url)));
  expect(new Set([...others, ...open].map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await listening(url);
  expect([refused.status, refused.problem?.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'OVERLOADED',
    '1',
  ]);
  expect((await listening(url, {}, stranger)).status).toBe(200);
  open[0]?.leave();
  // The wait must be shorter than the time to the next heartbeat. If the close were not noticed at once, the next
  // heartbeat would find it.
  await waitUntil('a place', async () => (await listening(url)).status === 200, 10_000);
});

test('a stream ends when the server stops, and when its key is revoked', async () => {
  const good = new Map<string, ApiKeyRecord>([[auditor.key, auditor.record]]);
  const { url, stop } = await serve({ ...memoryKeyStore([]), find: async (key) => good.get(key) ?? null });
  const stopped = await listening(url);
  const revoked = await listening(url);
  await recording.append(fresh(1));
  await waitUntil('one event', () => stopped.events.length + revoked.events.length === 2);
  good.clear();
  await revoked.ended;
  await stopped.ended;
  good.set(auditor.key, auditor.record);
  const last = await listening(url, { lastId: stopped.lastId });
  await stop();
  await last.ended;
});
