/** Clients of both major versions of OpenAI's SDK, plain and under a mandate. Each client has its own model server. */
import { type ModelScript, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import { onTestFinished } from 'vitest';
import { type DecideInstead, recordedMandate } from '../adapters/recorded-mandate.fixture.ts';
import type { MandateDocument } from '../types.ts';
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

export type GovernedBench = Bench & ReturnType<typeof recordedMandate>;

type Options = { document?: MandateDocument; wrap?: OpenAIOptions; decide?: DecideInstead };

export async function governedBench(
  Class: typeof OpenAI,
  script: ModelScript = {},
  { document = {}, wrap = {}, decide }: Options = {},
): Promise<GovernedBench> {
  const { server, openai } = await plainBench(Class, script);
  const recorded = recordedMandate({ document: { maxCostTotal: 10, ...document }, decide });
  return { ...recorded, Class, server, openai: wrapOpenAI(openai, recorded.mandate, wrap) };
}
