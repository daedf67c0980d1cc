/**
 * Measures what the SDK adds to a call of a tool. In local mode the rival is the bare function. The bench also measures
 * the memory of 10,000 agents, and how many calls run under a rate while an agent calls as fast as it can.
 */
import { Mandate } from '@mandate/sdk';
import { compare, stated } from '../measure/compare.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';

const CALLS = 20_000;
const AGENTS = 10_000;
const RATE = { maxCalls: 500, windowMs: 1_000 };
const WINDOWS = 4;

export async function sdkOverhead(): Promise<Row[]> {
  return [...(await wrappedCall()), await memoryOfAgents(), await callsUnderRate()];
}

type Args = { path: string };
const readFile = async ({ path }: Args) => path.length;

async function wrappedCall(): Promise<Row[]> {
  const mandate = new Mandate({
    agentId: 'bench',
    mandate: {
      maxCostTotal: 1_000_000,
      allowedTools: ['read_*'],
      rateLimit: { maxCalls: 100_000, windowMs: 1_000 },
      toolPolicies: { read_file: { cost: 0.001 } },
    },
  });
  const tools = mandate.createExecutor();
  const paths = () => Array.from({ length: CALLS }, (_, at) => ({ path: `/tmp/${at}.json` }));
  const rows = await compare({
    pairs: 5,
    ours: () => oneByOne(paths(), (args) => tools.run('read_file', args, readFile)),
    rival: { what: 'the bare async function', run: () => oneByOne(paths(), readFile) },
    figures: {
      p50Ms: { what: 'a call of a tool under a mandate, in local mode: p50', unit: 'ms' },
      p99Ms: { what: 'a call of a tool under a mandate, in local mode: p99', unit: 'ms' },
    },
  });
  await mandate.close();
  return rows;
}

/** Each agent has a budget and a rate, and has made one call. */
async function memoryOfAgents(): Promise<Row> {
  const mandate = new Mandate({
    mandate: { maxCostTotal: 10, rateLimit: { maxCalls: 10, windowMs: 60_000 } },
  });
  const before = heapUsed();
  for (let at = 0; at < AGENTS; at += 1) {
    await mandate.createExecutor({ agentId: `agent-${at}` }).run('read_file', { path: 'a' }, readFile);
  }
  const row = stated('memory of an agent that made one call, of 10,000', 'B', [
    (heapUsed() - before) / AGENTS,
  ]);
  await mandate.close();
  return row;
}

/** Calls as fast as possible for some windows of the rate. */
async function callsUnderRate(): Promise<Row> {
  const mandate = new Mandate({ agentId: 'bench', mandate: { rateLimit: RATE } });
  const tools = mandate.createExecutor();
  let ran = 0;
  const untilMs = performance.now() + WINDOWS * RATE.windowMs;
  const count = () => {
    ran += 1;
  };
  while (performance.now() < untilMs) {
    await tools.run('read_file', { path: 'a' }, count).catch(() => undefined);
  }
  await mandate.close();
  const seconds = (WINDOWS * RATE.windowMs) / 1_000;
  return stated(`calls that ran under a rate of ${RATE.maxCalls} a second`, '/s', [ran / seconds]);
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
