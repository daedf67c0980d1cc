/** The faults of a soak test. Each breaks something and repairs it, and the plane must recover without help. */
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyRedis, type FaultProxy, plainRedis, type StartedProcess } from '@mandate/testing';
import type { Api } from '../../e2e/distributed/support/server-plane.ts';
import { pick } from '../support/agents-at-work.ts';
import { shuffled } from '../support/shuffled.ts';
import type { WholePlane } from '../support/whole-plane.ts';
import { actionOf } from './population.ts';

export type Service = StartedProcess & { url: string };

/** A plane with several services of each kind. The first service of each kind is never replaced. */
export type Soaked = {
  servers: WholePlane['servers'];
  proxies: { redis: FaultProxy; kafka: FaultProxy };
  /** Returns the operator's client, which uses the current gateway. */
  operator(): Api;
  gateways: Service[];
  deciders: Service[];
  recorders: Service[];
  start: Readonly<Record<'gateway' | 'decider' | 'recorder', () => Promise<Service>>>;
};

/**
 * The shortest and longest time for which a process is paused, cut off or delayed, in ms. Both are longer than every
 * session timeout.
 */
const [SHORTEST_MS, LONGEST_MS] = [2_500, 6_000];
const ANSWERS_LOST = 5;
const SCRIPTS_FORGOTTEN = 20;
const SENDS_DELAYED = 5;
const WITHIN_MS = 5_000;
const STOPPED_MS = 3_000;

type Random = () => number;

type Fault = (soaked: Soaked, random: Random) => Promise<unknown>;

/** The faults that lose the ledger. Each causes a rebuild, which takes longer the more records the log has. */
const LEDGER_LOST: Readonly<Record<string, Fault>> = {
  'Redis restarted': ({ servers }) => servers.redis.restart(),
  'Redis emptied': ({ servers }) => emptyRedis(servers.redis.url),
};

const OTHERS: Readonly<Record<string, Fault>> = {
  'a decider killed': ({ deciders, start }, random) => replace(deciders, 'SIGKILL', start.decider, random),
  'a recorder killed': ({ recorders, start }, random) =>
    replace(recorders, 'SIGKILL', start.recorder, random),
  'a gateway replaced': ({ gateways, start }, random) => replace(gateways, 'SIGTERM', start.gateway, random),
  'a decider stands still': ({ deciders }, random) => standStill(pick(deciders, random), random),
  'a recorder stands still': ({ recorders }, random) => standStill(pick(recorders, random), random),

  async 'Redis stands still'({ servers: { redis } }, random) {
    redis.pause();
    await sleep(drawMs(random));
    redis.resume();
  },
  async 'Redis forgets its scripts'({ servers }) {
    const redis = plainRedis(servers.redis.url);
    for (let flushed = 0; flushed < SCRIPTS_FORGOTTEN; flushed += 1) {
      await redis.script('FLUSH');
      await sleep(20);
    }
    redis.disconnect();
  },
  async "Redis' answers lost"({ proxies }) {
    for (let lost = 0; lost < ANSWERS_LOST; lost += 1) await soon(proxies.redis.loseAnswer('act-'));
  },

  async 'Kafka cut off'({ proxies: { kafka } }, random) {
    kafka.cut();
    await sleep(drawMs(random));
    kafka.restore();
  },
  async 'Kafka held up'({ proxies: { kafka } }, random) {
    for (let held = 0; held < SENDS_DELAYED; held += 1) {
      const holding = kafka.hold(pick(['request', 'answer'] as const, random), /^Produce /);
      await soon(holding);
      await sleep(random() * 1_500);
      void holding.then((send) => send.forward());
    }
  },

  async 'ClickHouse killed'({ servers: { clickhouse } }, random) {
    await clickhouse.kill();
    await sleep(drawMs(random));
    await clickhouse.restart();
  },

  async 'agents killed and revived'({ operator }, random) {
    const agents = Array.from({ length: 5 }, () => actionOf(Math.floor(random() * 10_000), random).agentId);
    const tell = (what: string) =>
      Promise.all(agents.map((agent) => command(operator, `/v1/agents/${agent}/${what}`, {})));
    await tell('kill');
    await sleep(STOPPED_MS);
    await tell('revive');
  },
  async 'all killed and revived'({ operator }) {
    await command(operator, '/v1/kill', { scope: 'tenant', reason: 'soak' });
    await sleep(STOPPED_MS);
    await command(operator, '/v1/revive', { scope: 'tenant' });
  },
};

export const KINDS_OF_FAULTS = Object.keys(OTHERS).length + 1;

/** Returns every kind of fault once in random order, and one of the faults that lose the ledger. */
export function drawFaults(random: Random): [name: string, bringAbout: Fault][] {
  return shuffled([...Object.entries(OTHERS), pick(Object.entries(LEDGER_LOST), random)], random);
}

function drawMs(random: Random): number {
  return SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS);
}

/** Replaces one of the services, but never the first. */
async function replace(
  services: Service[],
  signal: NodeJS.Signals,
  start: () => Promise<Service>,
  random: Random,
): Promise<void> {
  const at = 1 + Math.floor(random() * (services.length - 1));
  const gone = services[at];
  // With SIGTERM, the new service starts before the old service ends, as in a rolling replacement.
  const begun = signal === 'SIGTERM' ? await start() : undefined;
  services.splice(at, 1, ...(begun === undefined ? [] : [begun]));
  await gone?.kill(signal);
  if (begun === undefined) services.push(await start());
}

async function standStill({ process }: Service, random: Random): Promise<void> {
  process.kill('SIGSTOP');
  await sleep(drawMs(random));
  process.kill('SIGCONT');
}

/** Waits for the message, but not for long, because everything else may be waiting too. */
async function soon(coming: Promise<unknown>): Promise<void> {
  await Promise.race([coming, sleep(WITHIN_MS, undefined, { ref: false })]);
}

/** Sends a command. If a server is away, sends it again. The second answer has the result of the command. */
async function command(operator: () => Api, path: string, body: object): Promise<void> {
  for (;;) {
    try {
      await operator().post(path, body);
      return;
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status !== 503) throw error;
      await sleep(100);
    }
  }
}
