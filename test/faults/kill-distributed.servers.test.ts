/**
 * The promises about the kill switch in section 6 of docs/semantics.md, with several deciders on one ledger. First a
 * kill during heavy traffic, while a decider with unpublished ALLOWs is paused. Then a kill of everything on a
 * cluster with a shard that hangs.
 */
import { TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, startRedis, startRedisCluster, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { serverPlane } from '../e2e/distributed/support/server-plane.ts';
import { request } from './support/agents-at-work.ts';
import { openTestLog, PATIENCE_MS, SHORT_SESSION, startBreakable } from './support/breakable-servers.ts';
import { allAtWork } from './support/deciders-at-work.ts';
import { heldAtLast, PUBLISH, proxyToBroker } from './support/fault-proxies.ts';
import { followLog } from './support/follow-log.ts';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\n';

type Receipt = { sequences: Record<string, number>; open: { actionId: string }[] };

describeWithOwnServers(['kafka', 'redis'], 'a kill through one gateway while three deciders work', () => {
  test('no ALLOW has a higher sequence, and the answer names each ALLOW that reaches the log later, even from a paused decider', {
    timeout: 900_000,
  }, async () => {
    const broker = proxyToBroker(PUBLISH);
    const servers = await startBreakable(() => startRedis({ appendonly: true }), broker);
    const proxy = broker.proxy();
    const plane = serverPlane(servers, MANDATES);
    const bus = await openTestLog(servers);
    const startDecider = (own = {}) =>
      plane.start('decider', { ...SHORT_SESSION, BATCH_RECORDS: '10', ...own });
    const [gateway, heldUp, ...others] = await Promise.all([
      plane.start('gateway'),
      startDecider({ MANDATE_KAFKA_BROKERS: servers.kafka.through.join(',') }),
      startDecider(),
      startDecider(),
    ]);
    const api = plane.api(gateway.url, await plane.issueKey('default'));
    const log = await followLog(bus);
    let asked = 0;
    const ask = async (count: number) => {
      const calls = Array.from({ length: count }, () => {
        const number = asked++;
        return request({ id: `act-${number}`, agentId: `agent-${number % 50}`, tool: 'look' });
      });
      await bus.append(TOPICS.actions, calls);
    };
    const allDecided = () =>
      waitUntil('everything to be decided', () => log.decisions.size === asked, PATIENCE_MS);

    const publishing = ask(4_000);
    // A decider that joined the group late may find nothing to decide, so more actions are sent.
    const askMore = async () => log.decisions.size === asked && ask(400);
    await allAtWork([heldUp, ...others], askMore);
    const late = await heldAtLast(proxy.hold('request'), askMore);
    heldUp.process.kill('SIGSTOP');
    const { sequences, open } = await api.post<Receipt>('/v1/kill', { scope: 'tenant', reason: 'it loops' });
    await publishing;
    await ask(100);
    await allDecided();
    // All ALLOWs are from before the kill. The decider that took over has published the same ALLOWs as the paused
    // decider.
    const repeats = log.repeats();
    late.forward();
    await waitUntil('what it had to say to arrive', () => log.repeats() > repeats, PATIENCE_MS);
    heldUp.process.kill('SIGCONT');
    // The paused decider may still publish other decisions. After its end, everything is on the log.
    await heldUp.kill('SIGTERM');
    await log.caughtUp();

    const killedAt = sequences.default ?? 0;
    const named = new Set(open.map(({ actionId }) => actionId));
    expect(log.allowed.length).toBeGreaterThan(0);
    expect(log.allowed.length).toBeLessThan(asked);
    expect(log.allowed.filter(({ ledgerSequence }) => ledgerSequence > killedAt)).toEqual([]);
    expect(new Set(log.allowed.map(({ actionId }) => actionId))).toEqual(named);
    expect(log.contradictions).toEqual([]);

    await api.post('/v1/revive', { scope: 'tenant' });
    const before = log.allowed.length;
    await ask(100);
    await allDecided();
    expect(log.allowed.length).toBe(before + 100);
  });
});

const TENANTS = Array.from({ length: 20 }, (_, at) => `tenant-${at}`);
const AGENTS = 1_000;

describeWithOwnServers(['kafka', 'redis'], 'a kill of everything on a cluster of three', () => {
  test('after the kill none of 1,000 agents in 20 tenants is allowed; the answer names the tenants on a hanging shard, and the others are stopped', async () => {
    const servers = await startBreakable(() =>
      startRedisCluster({ appendonly: true, config: { 'cluster-require-full-coverage': 'no' } }),
    );
    const plane = serverPlane(servers, MANDATES);
    const bus = await openTestLog(servers);
    const [gateway] = await Promise.all([
      plane.start('gateway'),
      plane.start('decider'),
      plane.start('decider'),
    ]);
    const keys = await Promise.all(TENANTS.map((tenant) => plane.issueKey(tenant)));
    const api = plane.api(gateway.url, await plane.issueKey('default', ['operate', 'operate:all']));
    const log = await followLog(bus);
    let asked = 0;
    const askEverybody = async () => {
      const calls = Array.from({ length: AGENTS }, (_, agent) => {
        const tenant = TENANTS[agent % TENANTS.length] ?? '';
        return request({ id: `act-${asked++}`, agentId: `agent-${agent}`, tool: 'look', tenant });
      });
      await bus.append(TOPICS.actions, calls);
    };
    const allDecided = () =>
      waitUntil('everything to be decided', () => log.decisions.size === asked, PATIENCE_MS);

    await askEverybody();
    await allDecided();
    expect(log.allowed.length).toBe(AGENTS);

    const registry = await servers.redis.nodeOf('_registry');
    const homes = await Promise.all(TENANTS.map(servers.redis.nodeOf));
    // The shard that will hang. It must not be the shard with the registry, because a kill of everything uses the
    // registry.
    const shard = homes.find((node) => node !== registry);
    if (shard === undefined) throw new Error('all tenants lie beside the registry');
    const hanging = TENANTS.filter((_, at) => homes[at] === shard);
    shard.pause();
    const killing = () =>
      api.post<Receipt>('/v1/kill', { scope: 'all', reason: 'stop' }, { idempotencyKey: 'once' });
    const problem = await killing().catch((error: Error) => error);
    expect(problem).toMatchObject({ status: 503, code: 'LEDGER_UNAVAILABLE' });
    for (const tenant of TENANTS) {
      const isNamed = new RegExp(`\\b${tenant}\\b`).test(String(problem));
      expect({ tenant, isNamed }).toEqual({ tenant, isNamed: hanging.includes(tenant) });
    }
    await Promise.all(
      TENANTS.map(async (tenant, at) => {
        if (hanging.includes(tenant)) return;
        const status = await plane.api(gateway.url, keys[at] ?? '').get('/v1/agents/agent-0/kill-status');
        expect(status).toMatchObject({ killed: { scope: 'all' } });
      }),
    );
    shard.resume();
    const second = await waitUntil('the retry to complete', () => killing().catch(() => null), PATIENCE_MS);
    await askEverybody();
    await allDecided();
    expect(Object.keys(second.sequences)).toEqual(expect.arrayContaining(TENANTS));
    expect(log.allowed.length).toBe(AGENTS);
    expect(log.contradictions).toEqual([]);
  });
});
