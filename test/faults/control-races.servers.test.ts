/**
 * Two control services on Kafka get up to a thousand writes that compete for the same policies. Both are killed
 * meanwhile. Each answer must say how its write ended, and every later reader must find the same result. A process
 * that starts meanwhile from a snapshot of these services must also find the same state; the digests of the whole
 * state are compared.
 */
import type { Bus } from '@mandate/bus';
import { controlDigest, foldControl } from '@mandate/control';
import { followControl } from '@mandate/control-log';
import { silentLogger } from '@mandate/runtime';
import { readControlRecord, TOPICS } from '@mandate/schemas';
import { byLength, describeWithOwnServers, SEED, seededRandom, startRedis } from '@mandate/testing';
import { expect, test } from 'vitest';
import { serverPlane } from '../e2e/distributed/support/server-plane.ts';
import { pick } from './support/agents-at-work.ts';
import { openTestLog, startBreakable } from './support/breakable-servers.ts';

const WRITES = byLength({ short: 200, full: 1_000 });
const WRITERS = 16;
const POLICIES = ['a', 'b', 'c'];
const KILLS = byLength({ short: 2, full: 4 });
const SNAPSHOTS_AFTER = byLength({ short: '20', full: '100' });

type Policy = { revision: number; version: number; policy: { id: string; maxCostTotal: number } };

describeWithOwnServers(['kafka', 'redis'], 'control services that compete and are killed', () => {
  test(`lose no successful one of ${WRITES} writes, and report every refused one (SEED=${SEED})`, async () => {
    const random = seededRandom(SEED);
    const servers = await startBreakable(() => startRedis({ appendonly: true }));
    const plane = serverPlane(servers, 'version: 1\nid: m\nagents: ["x"]\n');
    const key = await plane.issueKey('acme', ['author', 'audit']);
    const starts: Start[] = [];
    async function start() {
      const service = await plane.start('control', {
        REQUESTS_PER_KEY_PER_SECOND: '100000',
        SNAPSHOT_AFTER_RECORDS: SNAPSHOTS_AFTER,
        LOG_LEVEL: 'debug',
      });
      starts.push(startOf(service.errors()));
      return service;
    }
    const services = [await start(), await start()];

    async function call(method: string, path: string, body?: object, revision?: number) {
      const response = await fetch(`${pick(services, random).url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(revision !== undefined && { 'if-match': `"${revision}"` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, body: (await response.json()) as Policy };
    }

    const became = { won: new Set<number>(), lost: new Set<number>(), unknown: new Set<number>() };
    let next = 0;
    async function write(): Promise<void> {
      while (next < WRITES) {
        const number = next++;
        const id = pick(POLICIES, random);
        try {
          const { status, body } = await call('GET', `/v1/policies/${id}`);
          const policy = { version: 1, id, maxCostTotal: number };
          const made = await call('PUT', `/v1/policies/${id}`, policy, status === 404 ? 0 : body.revision);
          if (made.status === 200) became.won.add(number);
          else if (made.status === 409) became.lost.add(number);
          else became.unknown.add(number);
        } catch {
          became.unknown.add(number);
        }
      }
    }
    const writing = Promise.all(Array.from({ length: WRITERS }, write));
    for (let kill = 1; kill <= KILLS; kill += 1) {
      while (next < (kill * WRITES) / (KILLS + 1)) await new Promise((resolve) => setTimeout(resolve, 10));
      const at = kill % services.length;
      await services[at]?.kill('SIGKILL');
      services[at] = await start();
    }
    await writing;
    await Promise.all(services.map((service) => service.kill('SIGKILL')));
    services.splice(0, services.length, await start(), await start());

    const bus = await openTestLog(servers);
    expect(starts).toHaveLength(2 + KILLS + 2);
    expect(await digestsOf(bus, starts)).toEqual(starts.map(({ digest }) => digest));
    // Each of the last two starts used a snapshot.
    expect(Math.min(...starts.slice(-2).map(({ fromRevision }) => fromRevision))).toBeGreaterThan(0);
    // A process that reads the whole topic, without a snapshot, must find the same state.
    const whole = await followControl({ bus, log: silentLogger() });
    for (const { revision, digest } of starts.slice(-2))
      expect([revision, digest]).toEqual([whole.revision(), whole.digest()]);
    await whole.stop();
    const found = await everythingAt(services[0]?.url ?? '', key);
    const stands = new Set(found.map(({ policy }) => policy.maxCostTotal));
    expect([...became.won].filter((number) => !stands.has(number))).toEqual([]);
    expect([...became.lost].filter((number) => stands.has(number))).toEqual([]);
    expect([...stands].filter((number) => !became.won.has(number) && !became.unknown.has(number))).toEqual(
      [],
    );
    // Some writes must have won, some lost, and some got no answer. Otherwise no writes competed, or no service died
    // during a write.
    expect(Math.min(became.won.size, became.lost.size, became.unknown.size)).toBeGreaterThan(0);
    expect(became.won.size + became.lost.size + became.unknown.size).toBe(WRITES);
  });
});

/**
 * What a service had read of the control topic when it began to listen, and the digest of its state. `fromRevision` is
 * above 0 if the service began with a snapshot.
 */
type Start = { revision: number; fromRevision: number; digest: string };

function startOf(said: string): Start {
  const line = said.split('\n').find((one) => one.includes('following the changes'));
  return JSON.parse(line ?? 'null');
}

/** Returns the digests at these revisions, computed by reading the log from its start. */
async function digestsOf(bus: Bus, starts: readonly Start[]): Promise<(string | undefined)[]> {
  const fold = foldControl();
  const digests = new Map([[0, controlDigest(fold)]]);
  const reader = await bus.read({
    topics: [TOPICS.control],
    from: 'earliest',
    onRecords(records) {
      for (const { position, value } of records) {
        const revision = position.offset + 1;
        fold.apply(readControlRecord(value), revision);
        if (starts.some((start) => start.revision === revision)) digests.set(revision, controlDigest(fold));
      }
    },
  });
  await reader.caughtUp;
  await reader.stop();
  return starts.map(({ revision }) => digests.get(revision));
}

/** Returns every version of every policy. */
async function everythingAt(url: string, key: string): Promise<Policy[]> {
  const all: Policy[] = [];
  for (const id of POLICIES) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const response = await fetch(
        `${url}/v1/policies/${id}/versions?limit=1000${cursor && `&cursor=${cursor}`}`,
        {
          headers: { authorization: `Bearer ${key}` },
        },
      );
      const page = (await response.json()) as { versions: Policy[]; next: string | null };
      all.push(...page.versions);
      cursor = page.next;
    }
  }
  return all;
}
