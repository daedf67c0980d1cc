/** Runs the ways of frameworks, and records what was asked and what ran. */
import { startModelServer } from '@mandate/testing/model-server';
import { onTestFinished } from 'vitest';
import { Mandate, type MandateOptions } from '../../index.ts';
import type { Decision } from '../../types.ts';
import type { Given } from './given.ts';
import type { AgentOfMode } from './mode.ts';

/** Decides a call of `pay` in place of the decision point, which it gets as a function. */
export type Instead = (decide: () => Promise<Decision>) => Promise<Decision>;

type Changes = Partial<Pick<Given, 'beforePay' | 'signal'>> & {
  instead?: Instead;
  options?: MandateOptions;
  /** The payments of another scene, which are counted together with these. */
  paid?: string[];
};

/** `asked` has the code of each decision about `pay`, or `failed`. `paid` has the payees. */
export type Scene = Given & { asked: string[]; paid: string[]; question(): string | undefined };

export async function sceneOf(agent: AgentOfMode, changes: Changes = {}): Promise<Scene> {
  const { instead = (decide) => decide(), options, paid = [], ...given } = changes;
  const server = await startModelServer();
  const asked: string[] = [];
  let approvalId: string | undefined;

  class WatchedMandate extends Mandate {
    protected override openPoint(...opening: Parameters<Mandate['openPoint']>) {
      const point = super.openPoint(...opening);
      return {
        ...point,
        decide: (record: Parameters<typeof point.decide>[0]) => {
          const { action } = record;
          if (action.type !== 'tool_call' || action.tool !== 'pay') return point.decide(record);
          return noted(() => instead(() => point.decide(record)));
        },
      };
    }
  }

  // This function is not async, so that what throws at once still does.
  function noted(decide: () => Promise<Decision>): Promise<Decision> {
    const at = asked.push('failed') - 1;
    return decide().then((decision) => {
      asked[at] = decision.code;
      approvalId = decision.approvalId ?? approvalId;
      return decision;
    });
  }

  const mandate = new WatchedMandate({
    ...agent.options,
    runId: `run-${agent.agentId}`,
    onError: () => {},
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await mandate.close({ timeoutMs: 1 });
  });
  return {
    mandate,
    server,
    asked,
    paid,
    question: () => approvalId,
    pay(to) {
      paid.push(to);
      return `paid ${to}`;
    },
    signal: new AbortController().signal,
    beforePay: async () => {},
    ...given,
  };
}

/** Waits for the end of a run. Frameworks end a refused run in their own ways, also with an error. */
export async function ended(run: Promise<unknown>): Promise<void> {
  await run.catch(() => {});
}

/** What the agent has left, in dollars. Calls of the model cost less than a cent. */
export async function leftOf(mandate: Mandate): Promise<number> {
  return Math.round(((await mandate.getRemainingBudget()) ?? Number.NaN) / 10_000) / 100;
}
