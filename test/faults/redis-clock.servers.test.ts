/**
 * The clock of the Redis server is an hour ahead, and later an hour behind, while deciders work. While the clock is
 * wrong, nothing is decided. When it is right again, the deciders continue by themselves. The wrong clock moved no
 * window: in the whole time each agent is allowed only what fits its rate and its windowed budget once.
 */
import { TOPICS } from '@mandate/schemas';
import {
  describeWithMovableClock,
  plainRedis,
  SEED,
  seededRandom,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { request } from './support/agents-at-work.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { allWaiting } from './support/deciders-at-work.ts';
import { followLog } from './support/follow-log.ts';
import { wholePlane } from './support/whole-plane.ts';

const HOUR_MS = 3_600_000;
/** The window in ms: longer than this test, and shorter than the error of the clock. */
const WINDOW_MS = 1_800_000;
const [AGENTS, FITS, CENT] = [10, 10, 10_000];
const MANDATES = `
version: 1
id: rated
agents: ["rated-*"]
rateLimit: { maxCalls: ${FITS}, windowMs: ${WINDOW_MS} }
toolPolicies: { look: { cost: 0.01 } }
---
version: 1
id: budgeted
agents: ["budgeted-*"]
budgets: [{ id: half-hour, scope: agent, max: ${(FITS * CENT) / 1e6}, windowMs: ${WINDOW_MS} }]
toolPolicies: { look: { cost: 0.01 } }
`;

describeWithMovableClock(['kafka', 'redis', 'clickhouse'], 'a wrong clock of Redis', () => {
  test(`an hour ahead and an hour behind, decides nothing and slides no window (SEED=${SEED})`, async () => {
    const startMs = Date.now();
    const { servers, bus, api, startDecider, expectLawsHold } = await wholePlane(MANDATES, {
      startLedger: () => startRedis({ appendonly: true, movableClock: true }),
    });
    const deciders = await Promise.all([startDecider(), startDecider()]);
    const log = await followLog(bus);
    let asked = 0;
    const ask = async (calls: number) => {
      const actions = Array.from({ length: calls * 2 * AGENTS }, (_, at) => {
        const kind = at % 2 === 0 ? 'rated' : 'budgeted';
        return request({ id: `act-${asked++}`, agentId: `${kind}-${(at >> 1) % AGENTS}`, tool: 'look' });
      });
      await bus.append(TOPICS.actions, actions);
    };
    const allDecided = () =>
      waitUntil('everything to be decided', () => log.decisions.size === asked, PATIENCE_MS);
    const allowedOfEach = () => {
      const allowed = Map.groupBy(log.allowed, ({ agentId }) => agentId);
      return [...new Set([...allowed.values()].map((of) => of.length))];
    };
    await ask(5);
    await allDecided();
    expect(allowedOfEach()).toEqual([5]);

    const offMs = seededRandom(SEED)() < 0.5 ? [HOUR_MS, -HOUR_MS] : [-HOUR_MS, HOUR_MS];
    for (const [at, ms] of offMs.entries()) {
      const decided = log.decisions.size;
      await servers.redis.moveClock(ms);
      await ask(2);
      await allWaiting(deciders, 3);
      await expect(api.post('/v1/agents/nobody/kill', {})).rejects.toMatchObject({
        status: 503,
        code: 'LEDGER_UNAVAILABLE',
        message: expect.stringMatching(ms > 0 ? /36\d\d s ahead of/ : /3[56]\d\d s behind/),
      });
      if (ms > 0) await expiredByServer(servers.redis.url);
      await log.caughtUp();
      expect(log.decisions.size).toBe(decided);
      await servers.redis.moveClock(0);
      await allDecided();
      expect({ at, allowed: allowedOfEach() }).toEqual({ at, allowed: [[7, 9][at]] });
    }
    await ask(FITS);
    await allDecided();

    expect(allowedOfEach()).toEqual([FITS]);
    expect(log.allowed).toHaveLength(2 * AGENTS * FITS);
    const codes = new Set([...log.decisions.values()].map(({ code }) => code));
    expect(codes).toEqual(new Set(['ALLOWED', 'RATE_LIMIT_EXCEEDED', 'COST_LIMIT_EXCEEDED']));
    for (const { decidedAt } of log.decisions.values()) {
      // The two times come from clocks with different precision, so a difference of one second is accepted.
      expect(Date.parse(decidedAt)).toBeGreaterThan(startMs - 1_000);
      expect(Date.parse(decidedAt)).toBeLessThan(Date.now() + 1_000);
    }
    expect(log.contradictions).toEqual([]);
    await expectLawsHold();
  });
});

/** Makes keys that expire at once. Resolves when the server has dropped all expired keys, by its own clock. */
async function expiredByServer(url: string): Promise<void> {
  const redis = plainRedis(url);
  onTestFinished(() => redis.disconnect());
  const before = await redis.dbsize();
  // No client reads these keys, so the server drops them only in its own regular search for expired keys.
  for (let at = 0; at < 100; at += 1) await redis.set(`passing-${at}`, '', 'PX', 1);
  await waitUntil('the server to drop them', async () => (await redis.dbsize()) <= before);
}
