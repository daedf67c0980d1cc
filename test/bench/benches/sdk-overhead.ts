/**
 * Measures what the SDK adds to a call of a tool. In local mode the rival is the bare function, in plane mode a bare
 * POST of the same action. The bench also measures the memory of 10,000 agents, and how many calls run under a rate
 * while an agent calls as fast as it can.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mandate } from '@mandate/sdk';
import { startPlane } from '@mandate/testing';
import { compare, stated } from '../measure/compare.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';
import { limitNothing } from '../workload/limit-nothing.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const CALLS = 20_000;
const CALLS_TO_PLANE = 500;
const AGENTS = 10_000;
const RATE = { maxCalls: 500, windowMs: 1_000 };
const WINDOWS = 4;

export async function sdkOverhead(): Promise<Row[]> {
  return [
    ...(await wrappedCall()),
    ...(await callOverPlane()),
    await memoryOfAgents(),
    await callsUnderRate(),
  ];
}

type Args = { path: string };
const readFile = async ({ path }: Args) => path.length;

/** A limit of each kind. None is reached. */
const LIMITS = {
  maxCostTotal: 1_000_000,
  allowedTools: ['read_*'],
  rateLimit: { maxCalls: 100_000, windowMs: 1_000 },
  toolPolicies: { read_file: { cost: 0.001 } },
};
const argumentsOf = (calls: number): Args[] =>
  Array.from({ length: calls }, (_, at) => ({ path: `/tmp/${at}.json` }));

async function wrappedCall(): Promise<Row[]> {
  const mandate = new Mandate({ agentId: 'bench', mandate: LIMITS });
  const tools = mandate.createExecutor();
  const rows = await compare({
    pairs: 5,
    ours: () => oneByOne(argumentsOf(CALLS), (args) => tools.run('read_file', args, readFile)),
    rival: { what: 'the bare async function', run: () => oneByOne(argumentsOf(CALLS), readFile) },
    figures: {
      p50Ms: { what: 'a call of a tool under a mandate, in local mode: p50', unit: 'ms' },
      p99Ms: { what: 'a call of a tool under a mandate, in local mode: p99', unit: 'ms' },
    },
  });
  await mandate.close();
  return rows;
}

/**
 * The plane is another process, with its own folder. The SDK also reports the outcome of each call, which the bare POST
 * does not.
 */
async function callOverPlane(): Promise<Row[]> {
  using folder = temporaryFolder();
  const mandates = join(folder.path, 'bench.yaml');
  writeFileSync(mandates, JSON.stringify({ version: 1, id: 'bench', agents: ['*'], ...LIMITS }));
  const plane = await startPlane({ data: folder.path, mandates });
  const key = plane.keys.operator ?? '';
  await limitNothing({ url: plane.url, key });
  const mandate = new Mandate({ agentId: 'bench', mode: 'plane', planeUrl: plane.url, apiKey: key });
  const tools = mandate.createExecutor();
  const post = async (args: Args) => {
    const action = { id: randomUUID(), agentId: 'bench', type: 'tool_call', tool: 'read_file', args };
    const response = await fetch(`${plane.url}/v1/actions?waitMs=10000`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(action),
    });
    const { decision } = (await response.json()) as { decision?: { verdict: string } };
    if (decision?.verdict !== 'ALLOW') throw new Error(`the plane answered ${response.status}`);
  };
  try {
    return await compare({
      pairs: 5,
      ours: () => oneByOne(argumentsOf(CALLS_TO_PLANE), (args) => tools.run('read_file', args, readFile)),
      rival: {
        what: 'a bare POST /v1/actions?waitMs by fetch',
        run: () => oneByOne(argumentsOf(CALLS_TO_PLANE), post),
      },
      figures: {
        p50Ms: { what: 'a call of a tool under a mandate, in plane mode: p50', unit: 'ms' },
        p99Ms: { what: 'a call of a tool under a mandate, in plane mode: p99', unit: 'ms' },
      },
    });
  } finally {
    await mandate.close();
    await plane.kill();
  }
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
