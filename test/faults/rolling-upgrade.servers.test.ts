/**
 * Deciders are replaced one by one with deciders of another build, while actions arrive. If both builds use the same
 * ledger layout, they decide side by side, and each action is decided once. If the new build has its own layout, it
 * rebuilds the ledger once, and the old deciders stop using the ledger.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bus } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import {
  describeWithOwnServers,
  IS_SHORT,
  plainRedis,
  type StartedProcess,
  spawnService,
  startRedis,
  temporaryFolder,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { decisionsBy, environmentOf, serverPlane } from '../e2e/distributed/support/server-plane.ts';
import { outcome, request } from './support/agents-at-work.ts';
import { anotherBuild } from './support/another-build.ts';
import { openTestLog, PATIENCE_MS, SHORT_SESSION, startBreakable } from './support/breakable-servers.ts';
import { type FollowedLog, followLog } from './support/follow-log.ts';

const [AGENTS, SHARE] = [50, 400];
const [OLD_MICROS, NEW_MICROS] = [10_000, 20_000];

type Balances = { balances: readonly { spentMicros: number }[] };
type Plane = ReturnType<typeof serverPlane>;

/** The file that contains the version number of the ledger layout. */
const SHARDS = 'packages/ledger/src/redis/shards.ts';
const DECIDER = { ...SHORT_SESSION, BATCH_RECORDS: '20' };

describeWithOwnServers(['kafka', 'redis'], 'deciders replaced one by one', () => {
  test('forward and back, decide each action once, with the old and the new scripts and mandates', async () => {
    const servers = await startBreakable(() => startRedis({ appendonly: true }));
    const plane = serverPlane(servers, mandates(OLD_MICROS));
    const newMandates = join(temporaryFolder(), 'mandates.yaml');
    writeFileSync(newMandates, mandates(NEW_MICROS));
    const newBuild = await anotherBuild(
      {
        file: 'packages/ledger/src/redis/scripts/step.lua',
        from: '#!lua\n',
        to: '#!lua\n-- Another digest.\n',
      },
      {
        file: 'packages/ledger/src/redis/scripts/confirm.lua',
        from: '#!lua\n',
        to: '#!lua\n-- Another digest.\n',
      },
    );
    const bus = await openTestLog(servers);
    const startOld = () => plane.start('decider', DECIDER);
    const startNew = () => plane.start('decider', { ...DECIDER, MANDATES_PATH: newMandates }, newBuild);
    const [gateway, ...old] = await Promise.all([plane.start('gateway'), startOld(), startOld()]);
    const redis = plainRedis(servers.redis.url);
    onTestFinished(() => redis.disconnect());
    const log = await followLog(bus);
    const { ask, asked, askAgain } = agentsOf(bus);

    const deciders = [...old];
    for (const startNext of [startNew, startNew, startOld]) {
      await ask();
      const next = await startNext();
      await ask();
      // Redis is made to forget the scripts, so that each build must load its own scripts again. Both builds then run
      // until each has decided something.
      await redis.script('FLUSH');
      await waitUntil(
        'the next one to be at work',
        async () => {
          if (log.decisions.size === asked()) await ask();
          return (await decisionsBy(next)) > 0;
        },
        PATIENCE_MS,
      );
      await deciders.shift()?.kill();
      deciders.push(next);
    }
    // Every request is sent again, because the last deciders have seen only a few of them.
    await askAgain();
    await waitUntil(
      'an answer to every request',
      () => log.decisions.size + log.duplicates() === 2 * asked(),
      PATIENCE_MS,
    );

    expect(log.decisions.size).toBe(asked());
    expect(log.contradictions).toEqual([]);
    expect(log.epochs.size).toBe(1);
    const charges = Map.groupBy(log.decisions.values(), ({ mandate }) => mandate?.hash);
    expect([...charges.values()].map((of) => new Set(of.map(({ chargedMicros }) => chargedMicros)))).toEqual(
      expect.arrayContaining([new Set([OLD_MICROS]), new Set([NEW_MICROS])]),
    );
    expect(charges.size).toBe(2);
    expect(await spentInLedger(plane, gateway)).toBe(spentOnLog(log));
  });

  test.skipIf(IS_SHORT)(
    'with a newer layout, make the old deciders end and rebuild the ledger once; after a rollback, the old deciders rebuild it',
    async () => {
      const servers = await startBreakable(() => startRedis({ appendonly: true }));
      const plane = serverPlane(servers, mandates(OLD_MICROS));
      const newBuild = await anotherBuild({
        file: SHARDS,
        from: `const LAYOUT = ${layoutOfThisBuild()};`,
        to: `const LAYOUT = ${layoutOfThisBuild() + 1};`,
      });
      const bus = await openTestLog(servers);
      const startOld = () => plane.start('decider', DECIDER);
      const startNew = () => plane.start('decider', DECIDER, newBuild);
      const [oldGateway, ...old] = await Promise.all([plane.start('gateway'), startOld(), startOld()]);
      const log = await followLog(bus, (allowed) => outcome(allowed, Math.random, OLD_MICROS));
      const { ask, asked } = agentsOf(bus);
      const allDecided = () =>
        waitUntil(
          'a decision of every request, and every outcome booked',
          () => log.decisions.size === asked() && log.settled.size === asked(),
          PATIENCE_MS,
        );

      await ask();
      await waitUntil('the old ones to be at work', () => log.decisions.size > 0, PATIENCE_MS);
      // On a busy machine a rebuild may be interrupted and tried again. So only epochs after this moment count.
      const begun = log.epochs.size;
      // Decisions of the old deciders are still on their way to the log.
      await ask();
      const young = await startNew();
      for (const decider of old) expect(await endedFor(decider, 'LEDGER_NEWER')).toBe(1);
      await ask();
      await allDecided();
      expect(log.epochs.size).toBe(begun + 1);
      expect(await notReady(oldGateway)).toMatch(/newer than this program/);

      // Now the other way round: an old decider is started on a ledger that new deciders have rebuilt.
      const late = spawnService('decider', {
        ...environmentOf(servers),
        ...plane.data,
        PORT: '0',
        ...DECIDER,
      });
      expect(await endedFor(late, 'LEDGER_NEWER')).toBe(1);
      await ask();
      await allDecided();
      expect(log.epochs.size).toBe(begun + 1);
      const newGateway = await plane.start('gateway', {}, newBuild);
      expect(await spentInLedger(plane, newGateway)).toBe(spentOnLog(log));

      // Rolls back to the old build as docs/deploy.md describes it.
      await Promise.all([young.kill(), newGateway.kill()]);
      await ask();
      const redis = plainRedis(servers.redis.url);
      expect(await redis.unlink('mandate:{_registry}:registry')).toBe(1);
      redis.disconnect();
      await startOld();
      await allDecided();
      expect(log.epochs.size).toBe(begun + 2);
      expect(await spentInLedger(plane, oldGateway)).toBe(spentOnLog(log));
      expect(log.contradictions).toEqual([]);
      expect(log.lostOutcomes()).toEqual([]);
    },
  );
});

/** Returns functions that send actions of agents, a number of actions at a time. All actions can be sent again. */
function agentsOf(bus: Bus) {
  let asked = 0;
  const calls = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) =>
      request({ id: `act-${from + at}`, agentId: `agent-${(from + at) % AGENTS}`, tool: 'look' }),
    );
  return {
    asked: () => asked,
    async ask() {
      await bus.append(TOPICS.actions, calls(asked, SHARE));
      asked += SHARE;
    },
    askAgain: () => bus.append(TOPICS.actions, calls(0, asked)),
  };
}

async function spentInLedger(plane: Plane, gateway: { url: string }): Promise<number> {
  const api = plane.api(gateway.url, await plane.issueKey('default'));
  const { balances } = await api.get<Balances>('/v1/ledger/balances');
  return sum(balances.map(({ spentMicros }) => spentMicros));
}

function spentOnLog({ decisions, settlements }: FollowedLog): number {
  return (
    sum([...decisions.values()].map(({ chargedMicros }) => chargedMicros)) +
    sum([...settlements.values()].map(({ deltaMicros }) => deltaMicros))
  );
}

function layoutOfThisBuild(): number {
  const [, layout] = /^const LAYOUT = (\d+);$/m.exec(readFileSync(SHARDS, 'utf8')) ?? [];
  if (layout === undefined) throw new Error(`${SHARDS} names no layout`);
  return Number(layout);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, micros) => total + micros, 0);
}

/** Waits until a process has ended with this error code and a remedy. Returns its exit code. */
async function endedFor(started: StartedProcess, code: string): Promise<number | null> {
  const exit = await started.exited;
  const last = started
    .errors()
    .split('\n')
    .filter((line) => line.includes(`"${code}"`))
    .at(-1);
  expect(JSON.parse(last ?? '{}')).toMatchObject({
    err: { code, remedy: expect.stringContaining('Upgrade this program, or roll all programs back') },
  });
  return exit;
}

async function notReady({ url }: { url: string }): Promise<string> {
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  return response.text();
}

function mandates(costMicros: number): string {
  const cost = costMicros / 1_000_000;
  return `version: 1\nid: all\nagents: ["*"]\nmaxCostTotal: 1000\ntoolPolicies: { look: { cost: ${cost} } }\n`;
}
