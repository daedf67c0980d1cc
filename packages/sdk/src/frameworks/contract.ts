/**
 * Tests the promises for every framework in every mode of the SDK, on the real packages and a local model server. Only
 * tests import this file.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DecideInstead } from '../adapters/recorded-mandate.fixture.ts';
import { codeOf, PAY, WAITING } from '../contract/scene.ts';
import type { MandateDocument } from '../types.ts';
import { RESUMABLE, SUB_AGENT_WAYS, WAYS } from './contract/all-frameworks.ts';
import { budgetLeft, ended, type Scene, sceneOf } from './contract/scene.ts';
import type { TestedMode } from './contract/tested-mode.ts';

const BUDGET = { ...PAY, maxCostTotal: 100 };
const ASKING = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5, requiresConfirmation: true } } };

type Refusal = { document: MandateDocument; decidePay?: DecideInstead; code: string };

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'the mandate denies it': { document: { deniedTools: ['pay'] }, code: 'TOOL_DENIED' },
  'the decision point rejects': {
    document: BUDGET,
    decidePay: () => Promise.reject(new Error('broken')),
    code: 'failed',
  },
  'the decision point throws at once': {
    document: BUDGET,
    decidePay: () => {
      throw new Error('broken');
    },
    code: 'failed',
  },
};

/**
 * How many ways run at the same time. With more ways, decisions would be late on a small machine, and a late decision
 * blocks a call.
 */
const AT_ONCE = 8;

/** Checks every way, and expects the same result from each way. An error counts as the result of its way. */
async function expectOfEach<W extends { title: string }>(
  ways: readonly W[],
  expected: unknown,
  check: (way: W) => Promise<unknown>,
  atOnce = AT_ONCE,
): Promise<void> {
  const results: [title: string, result: unknown][] = [];
  for (let from = 0; from < ways.length; from += atOnce) {
    const some = ways.slice(from, from + atOnce);
    const checked = some.map(async (way) => [way.title, await check(way).catch(String)] as const);
    for (const [title, result] of await Promise.all(checked)) results.push([title, result]);
  }
  expect(Object.fromEntries(results)).toEqual(Object.fromEntries(ways.map(({ title }) => [title, expected])));
}

/** The recipients of the payments, and the different codes of the decisions. */
const resultOf = ({ paid, codes }: Scene) => [paid, [...new Set(codes)]];

/** @param mode `agentUnder` and the rest are called in tests only, so a server may start before them */
export function frameworksContract(name: string, mode: TestedMode): void {
  // LangChain prints each error of a callback.
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describe(`in ${name}, every way of every framework`, () => {
    test('runs the tool once, and charges it once', async () => {
      await expectOfEach(WAYS, [['ann'], 95], async ({ way }) => {
        const scene = await sceneOf(await mode.agentUnder(BUDGET));
        await way(scene);
        return [scene.paid, await budgetLeft(scene.mandate)];
      });
    });

    test.each(Object.entries(REFUSALS))(
      'runs no tool if %s',
      async (_when, { document, code, ...changes }) => {
        await expectOfEach(WAYS, [[], [code]], async ({ way }) => {
          const scene = await sceneOf(await mode.agentUnder(document), changes);
          await ended(way(scene));
          return resultOf(scene);
        });
      },
    );

    test('runs no tool if the decision hangs, even if the decision comes later', async () => {
      await expectOfEach(WAYS, [], async ({ way, signalGiven }) => {
        const reached = Promise.withResolvers<void>();
        const late = Promise.withResolvers<void>();
        const decidePay: DecideInstead = async (decide) => {
          reached.resolve();
          await late.promise;
          if (signalGiven === 'never') throw new Error('the time limit of the mode is over');
          return decide();
        };
        const caller = new AbortController();
        const agent = await mode.agentUnder(BUDGET);
        const scene = await sceneOf(agent, { decidePay, signal: caller.signal });
        const run = ended(way(scene));
        await reached.promise;
        caller.abort(new Error('the framework gave up'));
        if (signalGiven === 'with the question') await run;
        expect(scene.paid).toEqual([]);
        late.resolve();
        await run;
        const code = signalGiven === 'never' ? 'failed' : 'ALLOWED';
        await expect.poll(() => scene.codes.at(-1), WAITING).toBe(code);
        // The reservation of a late ALLOW is released. But a hook does not learn that no call follows its request.
        const left = signalGiven === 'when the tool starts' ? 95 : 100;
        await expect.poll(() => budgetLeft(scene.mandate), WAITING).toBe(left);
        return scene.paid;
      });
    });

    test('runs a call that waits once, after another process approved it', async () => {
      await expectOfEach(WAYS, [0, ['ann'], 95], async ({ way }) => {
        const agent = await mode.agentUnder(ASKING);
        const scene = await sceneOf(agent, { options: { onDefer: 'wait' } });
        const run = way(scene);
        await expect.poll(() => scene.approvalId(), WAITING).toMatch(/^apv_/);
        const before = scene.paid.length;
        await agent.approve(scene.approvalId() ?? '');
        await run;
        return [before, scene.paid, await budgetLeft(scene.mandate)];
      });
    });
  });

  test(`in ${name}, a run that two instances resume after the approval runs its call once`, async () => {
    await expectOfEach(RESUMABLE, [['ann'], 95], async ({ suspend }) => {
      const agent = await mode.agentUnder(ASKING);
      const first = await sceneOf(agent);
      const { paid } = first;
      const resume = await suspend(first);
      const resumed = async () => {
        const scene = await sceneOf(agent, { paid });
        await ended(resume(scene));
        return scene.codes;
      };
      const early = await resumed();
      expect([paid, early.at(-1)]).toEqual([[], 'APPROVAL_REQUIRED']);
      await agent.approve(first.approvalId() ?? '');
      const both = await Promise.all([resumed(), resumed()]);
      await resumed();
      expect(both.flat()).toContain('ALLOWED');
      return [paid, await budgetLeft(first.mandate)];
    });
  });

  describe(`in ${name}, every sub-agent of every framework`, () => {
    test.each<[string, MandateDocument, MandateDocument]>([
      ['its own mandate denies', {}, { deniedTools: ['pay'] }],
      ['the mandate of its parent denies', { deniedTools: ['pay'] }, {}],
    ])('runs no tool that %s', async (_whose, ofParent, ofChild) => {
      await expectOfEach(SUB_AGENT_WAYS, [[], ['TOOL_DENIED']], async ({ run }) => {
        const { parent, childId, delegate } = await mode.teamUnder(ofParent, ofChild);
        const scene = await sceneOf(parent);
        await ended(run(scene, { agentId: childId, view: delegate(scene.mandate) }, 1));
        return resultOf(scene);
      });
    });

    test('spends the budget of its parent', async () => {
      // The other four dollars pay for calls of the model.
      const ofParent = { ...PAY, maxCostTotal: 14 };
      const refused = 'COST_LIMIT_EXCEEDED';
      const expected = [['payee-0', 'payee-1'], refused, 4, refused];
      await expectOfEach(SUB_AGENT_WAYS, expected, async ({ run }) => {
        const { parent, childId, delegate } = await mode.teamUnder(ofParent, { maxCostTotal: 100 });
        const scene = await sceneOf(parent);
        const { mandate, paid, codes } = scene;
        await ended(run(scene, { agentId: childId, view: delegate(mandate) }, 3));
        const codeOfChild = codes.at(-1);
        const codeOfParent = await codeOf(mandate.createExecutor().run('pay', {}, () => 'paid'));
        return [paid, codeOfChild, await budgetLeft(mandate), codeOfParent];
      });
    });
  });

  describe(`in ${name}, no framework runs a tool`, () => {
    test.each(Object.entries(mode.faults))('after %s in the middle of its run', async (_fault, faulty) => {
      const { agentUnder, injectFault, restore } = await faulty();
      try {
        let waiting = WAYS.length;
        const all = Promise.withResolvers<void>();
        const beforePay = () => {
          waiting -= 1;
          if (waiting === 0) all.resolve(injectFault());
          return all.promise;
        };
        const check = async ({ way }: (typeof WAYS)[number]) => {
          const scene = await sceneOf(await agentUnder(BUDGET), { beforePay });
          await ended(way(scene));
          return resultOf(scene);
        };
        // All ways wait for the same fault, so they run at the same time.
        await expectOfEach(WAYS, [[], ['failed']], check, WAYS.length);
      } finally {
        await restore();
      }
    });
  });
}
