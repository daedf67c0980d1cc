/**
 * Tests what every framework promises in every mode of the SDK, on the real packages and a local model server. Only
 * tests import this file.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { codeOf } from '../contract/scene.ts';
import { FRAMEWORKS, WAYS } from './contract/frameworks.ts';
import type { Mode } from './contract/mode.ts';
import { ended, type Instead, leftOf, sceneOf } from './contract/scene.ts';

const WAITING = { interval: 5, timeout: 30_000 };
const PAY = { pay: { cost: 5 } };
const BUDGET = { maxCostTotal: 100, toolPolicies: PAY };
const ASKING = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5, requiresConfirmation: true } } };

const THROWING: Record<string, Instead> = {
  rejects: () => Promise.reject(new Error('broken')),
  'throws at once': () => {
    throw new Error('broken');
  },
};

/** @param mode `agentUnder` and the rest are called in tests only, so a server may start before them */
export function frameworksContract(name: string, mode: Mode): void {
  // LangChain prints each error of a callback.
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describe.each(WAYS)(`in ${name}, $title`, ({ way, hears }) => {
    test('runs the tool once, and charges it once', async () => {
      const scene = await sceneOf(await mode.agentUnder(BUDGET));
      await way(scene);
      expect([scene.paid, await leftOf(scene.mandate)]).toEqual([['ann'], 95]);
    });

    test('never runs a denied tool', async () => {
      const scene = await sceneOf(await mode.agentUnder({ deniedTools: ['pay'] }));
      await ended(way(scene));
      expect([scene.paid, new Set(scene.asked)]).toEqual([[], new Set(['TOOL_DENIED'])]);
    });

    test.each(Object.entries(THROWING))('runs nothing if the decision %s', async (_how, instead) => {
      const scene = await sceneOf(await mode.agentUnder(BUDGET), { instead });
      await ended(way(scene));
      expect([scene.paid, new Set(scene.asked)]).toEqual([[], new Set(['failed'])]);
    });

    test('runs nothing if the decision hangs, also when it comes later', async () => {
      const reached = Promise.withResolvers<void>();
      const late = Promise.withResolvers<void>();
      const instead: Instead = async (decide) => {
        reached.resolve();
        await late.promise;
        if (hears === 'never') throw new Error('the time limit of the mode is over');
        return decide();
      };
      const caller = new AbortController();
      const agent = await mode.agentUnder(BUDGET);
      const scene = await sceneOf(agent, { instead, signal: caller.signal });
      const run = ended(way(scene));
      await reached.promise;
      caller.abort(new Error('the framework gave up'));
      if (hears === 'at once') await run;
      expect(scene.paid).toEqual([]);
      late.resolve();
      await run;
      await expect.poll(() => scene.asked.at(-1), WAITING).toBe(hears === 'never' ? 'failed' : 'ALLOWED');
      // The reservation of a late ALLOW is released. After a hook it stays, because a call may still follow.
      const left = hears === 'at the start' ? 95 : 100;
      await expect.poll(() => leftOf(scene.mandate), WAITING).toBe(left);
      expect(scene.paid).toEqual([]);
    });
  });

  test(`in ${name}, a call that waits runs once after another process approved it, in every way`, async () => {
    const results = await Promise.all(
      WAYS.map(async ({ title, way }) => {
        const agent = await mode.agentUnder(ASKING);
        const scene = await sceneOf(agent, { options: { onDefer: 'wait' } });
        const run = way(scene);
        await expect.poll(() => scene.question(), WAITING).toMatch(/^apv_/);
        const before = scene.paid.length;
        await agent.approve(scene.question() ?? '');
        await run;
        return [title, [before, scene.paid, await leftOf(scene.mandate)]];
      }),
    );
    expect(Object.fromEntries(results)).toEqual(
      Object.fromEntries(WAYS.map(({ title }) => [title, [0, ['ann'], 95]])),
    );
  });

  describe.each(Object.entries(FRAMEWORKS))(`in ${name}, %s`, (_name, { suspend, subAgents }) => {
    test.skipIf(suspend === undefined)(
      'resumes a call that another process approved, and runs it once, although two instances resume it',
      async () => {
        const agent = await mode.agentUnder(ASKING);
        const first = await sceneOf(agent);
        const { paid } = first;
        const resume = await suspend?.(first);
        const resumed = async () => {
          const scene = await sceneOf(agent, { paid });
          await ended(resume?.(scene) ?? Promise.reject(new Error('nothing to resume')));
          return scene.asked;
        };
        const early = await resumed();
        expect([paid, early.at(-1)]).toEqual([[], 'APPROVAL_REQUIRED']);
        await agent.approve(first.question() ?? '');
        const both = await Promise.all([resumed(), resumed()]);
        await resumed();
        expect([paid, await leftOf(first.mandate)]).toEqual([['ann'], 95]);
        expect(both.flat()).toContain('ALLOWED');
      },
    );

    describe.each(Object.entries(subAgents))('%s', (_way, run) => {
      test.each([
        ['its own mandate', {}, { deniedTools: ['pay'] }],
        ['that of its parent', { deniedTools: ['pay'] }, {}],
      ])('never runs a tool that %s denies', async (_whose, above, below) => {
        const { parent, childId, delegate } = await mode.teamUnder(above, below);
        const scene = await sceneOf(parent);
        const child = { agentId: childId, view: delegate(scene.mandate) };
        await ended(run(scene, child, 1));
        expect([scene.paid, new Set(scene.asked)]).toEqual([[], new Set(['TOOL_DENIED'])]);
      });

      test('spends the budget of its parent', async () => {
        // What is left pays for calls of the model.
        const above = { maxCostTotal: 14, toolPolicies: PAY };
        const { parent, childId, delegate } = await mode.teamUnder(above, { maxCostTotal: 100 });
        const scene = await sceneOf(parent);
        const { mandate } = scene;
        await ended(run(scene, { agentId: childId, view: delegate(mandate) }, 3));
        expect([scene.paid, scene.asked.at(-1)]).toEqual([['payee-0', 'payee-1'], 'COST_LIMIT_EXCEEDED']);
        expect(await leftOf(mandate)).toBe(4);
        const own = mandate.createExecutor().run('pay', {}, () => 'paid');
        expect(await codeOf(own)).toBe('COST_LIMIT_EXCEEDED');
      });
    });
  });

  describe(`in ${name}, no framework runs a tool`, () => {
    test.each(Object.entries(mode.faults))('after %s in the middle of its run', async (_fault, broken) => {
      const { agentUnder, strike, restore } = await broken();
      try {
        let waiting = WAYS.length;
        const all = Promise.withResolvers<void>();
        const beforePay = () => {
          waiting -= 1;
          if (waiting === 0) all.resolve(strike());
          return all.promise;
        };
        const results = await Promise.all(
          WAYS.map(async ({ title, way }) => {
            const scene = await sceneOf(await agentUnder(BUDGET), { beforePay });
            await ended(way(scene));
            return [title, [scene.paid, new Set(scene.asked)]];
          }),
        );
        expect(Object.fromEntries(results)).toEqual(
          Object.fromEntries(WAYS.map(({ title }) => [title, [[], new Set(['failed'])]])),
        );
      } finally {
        await restore();
      }
    });
  });
}
