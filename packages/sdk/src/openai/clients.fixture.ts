/** Clients of both majors of OpenAI's SDK, plain and under a mandate, each with a model server of its own. */
import { type ModelScript, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { onTestFinished } from 'vitest';
import { Mandate } from '../index.ts';
import type { Agent, Call, Decision, MandateDocument, RunningOutcome } from '../types.ts';
import type { OpenAIOptions } from './options.ts';
import { wrapOpenAI } from './wrap-openai.ts';

/** Both majors have the interface that the tests use. */
export const MAJORS: readonly [string, typeof OpenAI][] = [
  ['openai 7', OpenAI],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI],
];

export const MODEL = 'gpt-4o-mini';

export type Bench = {
  Class: typeof OpenAI;
  server: ModelServer;
  openai: OpenAI;
};

export async function plainBench(Class: typeof OpenAI, script: ModelScript = {}): Promise<Bench> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const openai = new Class({ apiKey: 'sk-test', baseURL: server.openaiUrl, logLevel: 'off' });
  return { Class, server, openai };
}

export type GovernedBench = Bench & {
  mandate: Mandate;
  /** Every call that was started and allowed, with its outcome. */
  calls: { call: Call; decision: Decision; outcome: RunningOutcome | null }[];
};

type Options = { document?: MandateDocument; wrap?: OpenAIOptions };

export async function governedBench(
  Class: typeof OpenAI,
  script: ModelScript = {},
  { document = {}, wrap = {} }: Options = {},
): Promise<GovernedBench> {
  const { server, openai } = await plainBench(Class, script);
  const mandate = new Mandate({ agentId: 'bot', mandate: { maxCostTotal: 10, ...document } });
  const calls: GovernedBench['calls'] = [];
  const source = { agent: () => recording(mandate.agent(), calls) };
  return { Class, server, openai: wrapOpenAI(openai, source, wrap), mandate, calls };
}

/** Returns the agent. It keeps each call with its outcome. */
function recording(agent: Agent, calls: GovernedBench['calls']): Agent {
  return {
    ...agent,
    async start(call) {
      const action = await agent.start(call);
      const kept: GovernedBench['calls'][number] = { call, decision: action.decision, outcome: null };
      calls.push(kept);
      return {
        ...action,
        settle(outcome) {
          kept.outcome ??= outcome;
          return action.settle(outcome);
        },
      };
    },
  };
}
