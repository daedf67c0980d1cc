/**
 * Tests the promises about the kill switch in section 6 of docs/semantics.md on a running plane: during heavy
 * traffic, and after SIGKILL.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type ActionDecided, agentKey, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import { byLength, type PlaneProcess, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\n';

type Receipt = { sequences: Record<string, number>; open: { agentId: string; actionId: string }[] };

test('after a kill during heavy traffic, no ALLOW has a higher ledger sequence, and the answer names each ALLOW that reaches the log later', async () => {
  const { plane, call, bus } = await started();
  const ends = async () =>
    new Map((await bus.ranges(TOPICS.decisions)).map((row) => [row.partition, row.endOffset]));
  const count = byLength({ short: 1_000, full: 4_000 });
  const publishing = publish(bus, 'runaway', 0, count - 100);
  await waitUntil('some decisions', async () => (await decisions(bus)).length > 50);
  const receipt = await call<Receipt>('POST', '/v1/agents/runaway/kill', { reason: 'it loops' });
  const endsAtKill = await ends();
  await publishing;
  // These actions are published after the kill. So some actions are certainly decided after it.
  await publish(bus, 'runaway', count - 100, 100);
  await waitUntil('every action decided', async () => (await decisions(bus)).length === count);

  const all = await decisions(bus);
  const allowed = all.filter(({ decision }) => decision.verdict === 'ALLOW');
  const killedAt = receipt.sequences.default ?? 0;
  expect(allowed.length).toBeGreaterThan(0);
  expect(all.some(({ decision }) => decision.code === 'AGENT_KILLED')).toBe(true);
  expect(allowed.filter(({ decision }) => decision.ledgerSequence > killedAt)).toEqual([]);
  const named = new Set(receipt.open.map(({ actionId }) => actionId));
  const late = allowed.filter(({ partition, offset }) => offset >= (endsAtKill.get(partition) ?? 0));
  expect(late.filter(({ decision }) => !named.has(decision.actionId))).toEqual([]);
  expect(named).toEqual(new Set(allowed.map(({ decision }) => decision.actionId)));
  expect(plane.process.exitCode).toBeNull();
});

test('a kill survives a SIGKILL of the plane, and so does a revive', async () => {
  const first = await started();
  expect(await first.verdict('a', 'one')).toEqual(['ALLOW', 'ALLOWED']);
  await first.call('POST', '/v1/agents/a/kill', {});
  await first.plane.kill('SIGKILL');

  const second = await restarted(first);
  expect(await second.verdict('a', 'two')).toEqual(['BLOCK', 'AGENT_KILLED']);
  expect(await second.verdict('b', 'one')).toEqual(['ALLOW', 'ALLOWED']);
  await second.call('POST', '/v1/agents/a/revive', {});
  expect(await second.verdict('a', 'three')).toEqual(['ALLOW', 'ALLOWED']);
  await second.plane.kill('SIGKILL');

  const third = await restarted(first);
  expect(await third.verdict('a', 'four')).toEqual(['ALLOW', 'ALLOWED']);
  await third.call('POST', '/v1/kill', { scope: 'all' });
  await third.plane.kill('SIGKILL');

  const fourth = await restarted(first);
  expect(await fourth.verdict('a', 'five')).toEqual(['BLOCK', 'AGENT_KILLED']);
  expect(await fourth.verdict('b', 'five')).toEqual(['BLOCK', 'AGENT_KILLED']);
});

test('an agent’s key cannot revive the agent', async () => {
  const { plane, call } = await started();
  await call('POST', '/v1/agents/a/kill', {});
  const response = await fetch(`${plane.url}/v1/agents/a/revive`, {
    method: 'POST',
    headers: { authorization: `Bearer ${plane.keys.publisher}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(403);
});

type Started = Awaited<ReturnType<typeof started>>;

async function started() {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATES);
  const plane = await startPlane({ data, mandates });
  const bus = await createSqliteBus({ path: join(data, 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  return { data, mandates, bus, keys: plane.keys, ...client(plane, plane.keys) };
}

async function restarted({ data, mandates, keys }: Started) {
  return client(await startPlane({ data, mandates }), keys);
}

function client(plane: PlaneProcess, keys: PlaneProcess['keys']) {
  onTestFinished(async () => {
    await plane.kill();
  });
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(plane.url + path, {
      method,
      headers: { authorization: `Bearer ${keys.operator}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer as T;
  };
  const verdict = async (agentId: string, id: string): Promise<[string, string]> => {
    const action = { id, agentId, type: 'tool_call', tool: 'echo' };
    const { decision } = await call<ActionDecided>('POST', '/v1/actions?waitMs=30000', action);
    return [decision.verdict, decision.code];
  };
  return { plane, call, verdict };
}

async function publish(bus: Bus, agentId: string, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += 100) {
    const batch = Array.from({ length: 100 }, (_, n) => {
      const action = { id: `act-${at + n}`, agentId, type: 'tool_call', tool: 'echo', deadlineMs: 600_000 };
      return {
        key: agentKey('default', agentId),
        value: JSON.stringify({ event: 'action.requested', action }),
      };
    });
    await bus.append(TOPICS.actions, batch);
  }
}

type Placed = { partition: number; offset: number; decision: ActionDecided['decision'] };

async function decisions(bus: Bus): Promise<Placed[]> {
  const found: Placed[] = [];
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const { position, value } of records) {
        const record = readDecisionsRecord(value);
        if (record.event === 'action.decided') found.push({ ...position, decision: record.decision });
      }
    },
  });
  await reader.caughtUp;
  await reader.stop();
  return found;
}
