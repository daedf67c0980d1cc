/**
 * Measures the kill switch, with the flag in Redis and the event on Kafka. There are three figures: the time until no
 * ALLOW can follow, the time until eight listeners have received the kill, and the time until the operator has an
 * answer and the event is on the log. The last time is measured twice: in the gateway's own function, and over HTTP.
 * Its rival is a bare route that only runs a script and appends a record.
 */

import type { Bus } from '@mandate/bus';
import { CommandJournal, kill, LastKills } from '@mandate/gateway';
import { type KillBroadcast, type Ledger, openKillBroadcast, withKillBroadcast } from '@mandate/ledger';
import { silentLogger, systemClock } from '@mandate/runtime';
import { redisSettings } from '@mandate/runtime/settings';
import { agentKey, DEFAULTS, type KillTarget, TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { plainRedis, startKafka } from '@mandate/testing';
import { fastify } from 'fastify';
import { compare } from '../measure/compare.ts';
import { figuresOf } from '../measure/load-figures.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';
import { type BareRedis, bareRedis } from '../workload/bare-redis.ts';
import { type GatewayAlone, gatewayAlone } from '../workload/gateway-alone.ts';
import { type HttpLoad, startHttpLoad } from '../workload/http-load.ts';
import { emptySharedLedger, logOn, startLedgerServer } from '../workload/servers.ts';

const KILLS = 300;
const LISTENERS = 8;
/**
 * The number of kills in a sample, if a kill takes less than 0.2 ms. With only 300 kills, three slow kills decided
 * the p99: it was 1 × the rival in one run and 2.5 × in the next.
 */
const MANY = 3_000;
const NUMBERS = numbersTo(KILLS);

export async function killDistributed(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const kafka = stack.use(await startKafka());
  const server = stack.use(await startLedgerServer());
  const bus = stack.adopt(await logOn(kafka), (held) => held.close());
  const ledger = stack.adopt(await emptySharedLedger(server), (held) => held.close());
  const bare = stack.adopt(bareRedis(server.url), (held) => held.close());
  const settings = redisSettings.parse({ REDIS_URL: server.url });
  const listening = () => openKillBroadcast(settings, silentLogger());
  const kills = stack.adopt(await listening(), (held) => held.close());
  const client = stack.adopt(startHttpLoad(), (held) => held.stop());
  const least = scriptAndAppend(bus, bare);
  return [
    ...(await inForce(ledger, bare)),
    ...(await heard(server.url, listening)),
    ...(await carriedOut(withKillBroadcast(ledger, kills, silentLogger()), bus, least)),
    ...(await answered(stack.use(await gatewayAlone({ bus, ledger, kills })), client, least)),
  ];
}

function inForce(ledger: Ledger, bare: BareRedis): Promise<Row[]> {
  return compare({
    pairs: 5,
    ours: killsOf('stray', MANY, (target, command) => ledger.kill(target, command)),
    rival: {
      what: 'an EVALSHA: get, compare, set',
      run: () => oneByOne(numbersTo(MANY), (at) => bare.compareAndSet([agent(at)])),
    },
    figures: named('kill: flag in force in Redis'),
  });
}

/**
 * Kills one agent after the other. Every agent is new and has never been killed. `kind` is the beginning of each
 * agent's name.
 */
function killsOf(
  kind: string,
  count: number,
  kill: (...command: Parameters<Ledger['kill']>) => Promise<unknown>,
) {
  let round = 0;
  return () => {
    round += 1;
    return oneByOne(numbersTo(count), (at) => {
      const agentId = `${kind}-${round}-${at}`;
      const target: KillTarget = { scope: 'agent', tenant: DEFAULTS.tenant, agentId };
      return kill(target, { id: `kil_${agentId}`, by: 'bench', reason: 'it ran away' });
    });
  };
}

/** Measures the time from publishing a kill until the last listener has received it. */
async function heard(url: string, listening: () => Promise<KillBroadcast>): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  let awaited = allOf(LISTENERS);
  const notice = (revision: number) => ({ target: { scope: 'all' }, killed: true, revision }) as const;
  for (let at = 0; at < LISTENERS; at += 1) {
    const listener = stack.adopt(await listening(), (held) => held.close());
    listener.subscribe({ onNotice: () => awaited.one(), onGap: () => {} });
    const subscriber = stack.adopt(plainRedis(url), (held) => held.disconnect());
    await subscriber.subscribe('bare:kills');
    subscriber.on('message', () => awaited.one());
  }
  const publisher = stack.adopt(await listening(), (held) => held.close());
  const plain = stack.adopt(plainRedis(url), (held) => held.disconnect());
  const each = (publish: (at: number) => Promise<unknown>) =>
    oneByOne(numbersTo(MANY), (at) => {
      awaited = allOf(LISTENERS);
      return Promise.all([publish(at), awaited.all]);
    });
  return await compare({
    pairs: 5,
    ours: () => each((at) => publisher.publish(notice(at))),
    rival: {
      what: `PUBLISH to ${LISTENERS} subscribers`,
      run: () => each((at) => plain.publish('bare:kills', JSON.stringify(notice(at)))),
    },
    figures: named(`kill: heard of by ${LISTENERS} over the broadcast`),
  });
}

function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function allOf(count: number): { one(): void; all: Promise<void> } {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  let left = count;
  return {
    all,
    one() {
      left -= 1;
      if (left === 0) resolve();
    },
  };
}

/** Returns the least work that a kill must do: run a script that sets a flag, and then append a record. */
function scriptAndAppend(bus: Bus, bare: BareRedis): (at: number) => Promise<void> {
  const value = JSON.stringify({ event: 'agent.revived', text: 'x'.repeat(400) });
  return async (at) => {
    await bare.compareAndSet([agent(at)]);
    const key = agentKey(DEFAULTS.tenant, agent(at).agentId);
    await bus.append(TOPICS.alerts, [{ key, value }]);
  };
}

/** Measures the kill command alone: no HTTP, and no process that reads the decisions topic. */
function carriedOut(ledger: Ledger, bus: Bus, least: (at: number) => Promise<void>): Promise<Row[]> {
  const [log, metrics] = [silentLogger(), createMetrics({ service: 'bench' })];
  const journal = new CommandJournal({ bus, log, maxUnlogged: 1_000 });
  const counter = (name: string) =>
    metrics.counter({ name: `mandate_bench_${name}_total`, help: name, labels: ['scope'] });
  const measures = { kills: counter('kills'), revives: counter('revives') };
  const controlRevision = () => 0;
  const lastKills = new LastKills();
  const gateway = { ledger, journal, clock: systemClock, log, measures, controlRevision, lastKills };
  return compare({
    pairs: 5,
    ours: killsOf('lost', KILLS, (target, command) => kill(gateway, target, command)),
    rival: { what: 'EVALSHA, then append', run: () => oneByOne(NUMBERS, least) },
    figures: named('kill on Kafka and Redis, in the gateway, without HTTP'),
  });
}

async function answered(
  gateway: GatewayAlone,
  client: HttpLoad,
  least: (at: number) => Promise<void>,
): Promise<Row[]> {
  const what = 'kill on Kafka and Redis, answered over HTTP';
  const load = { connections: 1, bodies: Array<string>(KILLS).fill('{"reason":"it ran away"}') };
  let round = 0;
  const ours = () =>
    figuresOf(client, {
      ...load,
      ...gateway,
      path: `/v1/agents/runaway-${round++}-{{n}}/kill`,
      expected: '"revision":',
    });
  const bare = fastify();
  bare.post<{ Params: { at: number } }>('/kill/:at', async ({ params }) => {
    await least(params.at);
    return { revision: 1 };
  });
  const url = await bare.listen({ host: '127.0.0.1', port: 0 });
  const bareRoute = () =>
    figuresOf(client, { ...load, url, key: null, path: '/kill/{{n}}', expected: '"revision":' });
  try {
    return [
      ...(await compare({
        pairs: 5,
        ours,
        rival: { what: 'EVALSHA, then append', run: () => oneByOne(NUMBERS, least) },
        figures: named(what),
      })),
      ...(await compare({
        pairs: 5,
        ours,
        rival: { what: 'the same in a bare fastify route', run: bareRoute },
        figures: named(what),
      })),
    ];
  } finally {
    await bare.close();
  }
}

function agent(at: number): { tenant: string; agentId: string } {
  return { tenant: DEFAULTS.tenant, agentId: `runaway-${at}` };
}

function named(what: string) {
  return {
    p50Ms: { what: `${what}: p50`, unit: 'ms' },
    p99Ms: { what: `${what}: p99`, unit: 'ms' },
  } as const;
}
