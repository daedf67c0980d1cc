/**
 * Kills and revives of the same agents, tenants and of everything race with each other. They go through three
 * gateways, on a cluster, under load, while deciders start and end and new tenants open. No ALLOW is after an
 * acknowledged kill and before its revive. In the end each flag agrees with the highest revision on the log, on every
 * shard and in every gateway and decider.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeWithOwnServers,
  IS_LONG,
  SEED,
  seededRandom,
  startRedisCluster,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { serverPlane } from '../e2e/distributed/support/server-plane.ts';
import { request } from './support/agents-at-work.ts';
import { openTestLog, PATIENCE_MS, SHORT_SESSION, startBreakable } from './support/breakable-servers.ts';
import { allAtWork } from './support/deciders-at-work.ts';
import { type Acknowledged, allowedBehind, followFlags } from './support/follow-flags.ts';
import { appendUntilTaken, followLog } from './support/follow-log.ts';
import { keepAsking } from './support/keep-asking.ts';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\n';
/** The number of times that a decider starts or ends while the commands race. */
const CHANGES = IS_LONG ? 30 : 2;
const LEAST_ROUNDS = 3 * CHANGES;
const TENANTS = ['one', 'two', 'three', 'four'];
const AGENTS = ['a', 'b', 'c'];
const GATEWAYS = 3;
/** The commands for one target in a round. Each command is sent once, through a random gateway. */
const COMMANDS = ['kill', 'kill', 'revive', 'revive'] as const;
const LONGEST_DELAY_MS = 40;
const MOST_WAITING = 200;
/** The number of actions per second. A higher load would leave no CPU time to start a decider. */
const PER_SECOND = 200;
/** The codes of a revive that found a newer kill, and of a kill that was revived before its answer. */
const LOST_THE_RACE = ['NEWER_KILL_STANDS', 'REVIVED_SINCE'];

describeWithOwnServers(['kafka', 'redis'], 'kills that race with revives', () => {
  test(`with ${CHANGES} rebalances and new tenants: no agent escapes, and log, shards and gateways agree (SEED=${SEED})`, {
    timeout: 1_200_000,
  }, async () => {
    // The load has its own random generator. How many numbers the load takes depends on the machine's speed, and must
    // not change the other choices.
    const [random, ofLoad] = [seededRandom(SEED), seededRandom(SEED + 1)];
    const among = <T>(all: readonly T[], drawn = random): T => all[Math.floor(drawn() * all.length)] as T;
    const servers = await startBreakable(() =>
      startRedisCluster({ appendonly: true, config: { appendfsync: 'everysec' } }),
    );
    const plane = serverPlane(servers, MANDATES);
    const bus = await openTestLog(servers);
    const startDecider = () => plane.start('decider', { ...SHORT_SESSION, BATCH_RECORDS: '20' });
    const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => plane.start('gateway')));
    const deciders = await Promise.all([startDecider(), startDecider()]);
    const keys = new Map(
      await Promise.all(
        TENANTS.map(async (tenant) => {
          const key = await plane.issueKey(tenant, ['publish', 'report', 'operate', 'operate:all']);
          return [tenant, key] as const;
        }),
      ),
    );
    const apisOf = (tenant: string) => gateways.map(({ url }) => plane.api(url, keys.get(tenant) ?? ''));
    const log = await followLog(bus);
    const flags = await followFlags(bus);

    let [asked, opened] = [0, 0];
    const ask = async (places: readonly { tenant: string; agentId: string }[]) => {
      const actions = places.map((place) => ({ id: `act-${asked++}`, tool: 'look', ...place }));
      await appendUntilTaken(bus, actions.map(request));
      return actions;
    };
    const newTenant = () => ({ tenant: `new-${opened++}`, agentId: 'a' });
    const anybody = () => ({ tenant: among(TENANTS, ofLoad), agentId: among(AGENTS, ofLoad) });
    const asking = keepAsking(
      (_, count) => ask([...Array.from({ length: count - 2 }, anybody), newTenant(), newTenant()]),
      { decided: () => log.decisions.size, ahead: MOST_WAITING, perSecond: PER_SECOND },
    );

    const acknowledged: Acknowledged[] = [];
    const race = async (tenant: string, path: string, body: object) => {
      await Promise.all(
        COMMANDS.map(async (command) => {
          const api = among(apisOf(tenant));
          await sleep(random() * LONGEST_DELAY_MS);
          try {
            const answer = await api.post<Acknowledged>(path.replace('*', command), body);
            if (command === 'kill') acknowledged.push(answer);
          } catch (error) {
            expect(LOST_THE_RACE).toContain((error as { code?: string }).code);
          }
        }),
      );
    };
    let changes = 0;
    const changing = (async () => {
      for (let guest = null; changes < CHANGES; changes += 1) {
        if (guest !== null) await guest.kill('SIGTERM');
        guest = guest === null ? await startDecider() : null;
        if (guest !== null) await allAtWork([guest]);
      }
    })();
    changing.catch(() => {});
    for (let round = 0; changes < CHANGES || round < LEAST_ROUNDS; round += 1) {
      const tenant = among(TENANTS);
      await Promise.all([
        race(tenant, `/v1/agents/${among(AGENTS)}/*`, {}),
        race(among(TENANTS), '/v1/*', { scope: 'tenant' }),
        race(tenant, '/v1/*', { scope: 'all' }),
      ]);
    }
    await changing;
    await asking.stop();
    const everybody = [
      ...TENANTS.flatMap((tenant) => AGENTS.map((agentId) => ({ tenant, agentId }))),
      ...Array.from({ length: opened }, (_, at) => ({ tenant: `new-${at}`, agentId: 'a' })),
    ];
    const raced = [...log.allowed];
    const probes = await ask([...everybody, newTenant()]);
    await waitUntil('a decision of everything', () => log.decisions.size === asked, PATIENCE_MS);
    await Promise.all([log.caughtUp(), flags.caughtUp()]);

    expect(acknowledged.length).toBeGreaterThan(LEAST_ROUNDS);
    // If revives are ignored, the same check must find ALLOWs after a kill. This shows that some revives won, and
    // that revived agents were allowed again.
    expect(allowedBehind(acknowledged, [], raced)).not.toEqual([]);
    expect(allowedBehind(acknowledged, flags.revives, log.allowed)).toEqual([]);
    expect(log.contradictions).toEqual([]);
    expect(log.deadLetters()).toBe(0);
    expect(acknowledged.filter((kill) => !flags.kills.has(kill.commandId))).toEqual([]);
    for (const { id, tenant, agentId } of probes) {
      const isKilled = flags.isKilled(tenant, agentId);
      const code = log.decisions.get(id)?.code;
      expect({ tenant, agentId, code }).toEqual({
        tenant,
        agentId,
        code: isKilled ? 'AGENT_KILLED' : 'ALLOWED',
      });
      for (const api of keys.has(tenant) ? apisOf(tenant) : []) {
        const { killed } = await api.get<{ killed: object | null }>(`/v1/agents/${agentId}/kill-status`);
        expect({ tenant, agentId, isKilled: killed !== null }).toEqual({ tenant, agentId, isKilled });
      }
    }
    expect(deciders.map(({ process }) => process.exitCode)).toEqual([null, null]);
  });
});
