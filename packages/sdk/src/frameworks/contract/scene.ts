/** Runs an agent of a framework under an instance. Records the decisions and the calls that ran. */
import { startModelServer } from '@mandate/testing/model-server';
import { onTestFinished } from 'vitest';
import type { DecideInstead } from '../../adapters/recorded-mandate.fixture.ts';
import { Mandate, type MandateOptions } from '../../index.ts';
import type { Decision } from '../../types.ts';
import type { RunSetup } from './framework.ts';
import type { TestedAgent } from './tested-mode.ts';

type Changes = Partial<Pick<RunSetup, 'beforePay' | 'signal'>> & {
  /** Decides the calls of `pay`. */
  decidePay?: DecideInstead;
  options?: MandateOptions;
  /** The payments of another scene, which are counted together with these. */
  paid?: string[];
};

export type Scene = RunSetup & {
  /** The code of each decision about `pay`, or `failed` if the decision failed. */
  codes: string[];
  /** The recipients of the payments. */
  paid: string[];
  /** The id of the last question to a person. */
  approvalId(): string | undefined;
};

export async function sceneOf(agent: TestedAgent, changes: Changes = {}): Promise<Scene> {
  const { decidePay = (decide) => decide(), options, paid = [], ...setup } = changes;
  const server = await startModelServer();
  const codes: string[] = [];
  let approvalId: string | undefined;

  class WatchedMandate extends Mandate {
    protected override openPoint(...opening: Parameters<Mandate['openPoint']>) {
      const point = super.openPoint(...opening);
      return {
        ...point,
        decide: (record: Parameters<typeof point.decide>[0]) => {
          const { action } = record;
          if (action.type !== 'tool_call' || action.tool !== 'pay') return point.decide(record);
          return recorded(() => decidePay(() => point.decide(record)));
        },
      };
    }
  }

  // An async function would turn an error that is thrown at once into a rejection.
  function recorded(decide: () => Promise<Decision>): Promise<Decision> {
    const at = codes.push('failed') - 1;
    return decide().then((decision) => {
      codes[at] = decision.code;
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
    codes,
    paid,
    approvalId: () => approvalId,
    pay(to) {
      paid.push(to);
      return `paid ${to}`;
    },
    signal: new AbortController().signal,
    beforePay: async () => {},
    ...setup,
  };
}

/** Waits for the end of a run. Each framework ends a refused run in its own way, some with an error. */
export async function ended(run: Promise<unknown>): Promise<void> {
  await run.catch(() => {});
}

/** The remaining budget of the agent, in dollars. Calls of the model cost less than a cent. */
export async function budgetLeft(mandate: Mandate): Promise<number> {
  return Math.round(((await mandate.getRemainingBudget()) ?? Number.NaN) / 10_000) / 100;
}
