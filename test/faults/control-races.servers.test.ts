/**
 * Two control services on Kafka, a thousand writes that race for the same policies, and both services killed in between. Each
 * answer says what became of its write, and whoever reads afterwards finds just that.
 */
import { describeWithOwnServers, SEED, seededRandom, startRedis } from '@mandate/testing';
import { expect, test } from 'vitest';
import { serverPlane } from '../e2e/distributed/server-plane.ts';
import { pick } from './agents-at-work.ts';
import { startBreakable } from './breakable-servers.ts';

const WRITES = 1_000;
const WRITERS = 16;
const POLICIES = ['a', 'b', 'c'];
const KILLS = 4;

type Policy = { revision: number; version: number; policy: { id: string; maxCostTotal: number } };

describeWithOwnServers(['kafka', 'redis'], 'control services that race and die', () => {
  test(`lose no winner of ${WRITES} writes, and tell every loser (SEED=${SEED})`, async () => {
    const random = seededRandom(SEED);
    const servers = await startBreakable(() => startRedis({ appendonly: true }));
    const plane = serverPlane(servers, 'version: 1\nid: m\nagents: ["x"]\n');
    const key = await plane.issueKey('acme', ['author', 'audit']);
    const start = () => plane.start('control', { REQUESTS_PER_KEY_PER_SECOND: '100000' });
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

    const found = await Promise.all(services.map(({ url }) => everythingAt(url, key)));
    expect(found[1]).toEqual(found[0]);
    const stands = new Set(found[0]?.map(({ policy }) => policy.maxCostTotal));
    expect([...became.won].filter((number) => !stands.has(number))).toEqual([]);
    expect([...became.lost].filter((number) => stands.has(number))).toEqual([]);
    expect([...stands].filter((number) => !became.won.has(number) && !became.unknown.has(number))).toEqual(
      [],
    );
    // Else there was no race, or nobody died in the middle of anything.
    expect(Math.min(became.won.size, became.lost.size, became.unknown.size)).toBeGreaterThan(0);
    expect(became.won.size + became.lost.size + became.unknown.size).toBe(WRITES);
  });
});

/** Every version of every policy. */
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
