/**
 * Measures calls of a tool through the MCP proxy, which decides them in its own process by a mandate file. Over stdio
 * one call follows the other. The rival is the server without the proxy. Over HTTP there are 64 connections, and the
 * rival passes the same calls on without looking at them.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Callers, startHttpProxy } from '@mandate/mcp';
import { Mandate } from '@mandate/sdk';
import { compare, type Sample } from '../measure/compare.ts';
import { type Latencies, latenciesOf } from '../measure/latencies.ts';
import { figuresOf } from '../measure/load-figures.ts';
import type { Row } from '../row.ts';
import { startBareProxy } from '../workload/bare-proxy.ts';
import { type HttpLoad, startHttpLoad } from '../workload/http-load.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const CALLS = 2_000;
const CONNECTIONS = 64;
const MANDATE = {
  ...{ version: 1, id: 'bench', agents: ['bot'], allowedTools: ['echo'] },
  ...{ maxCostTotal: 1_000_000, maxOpen: 'unlimited' },
};
const SERVER = fileURLToPath(import.meta.resolve('../workload/fixed-mcp-server.ts'));
const CLI = fileURLToPath(import.meta.resolve('../../../packages/cli/src/main.ts'));

export async function mcpProxy(): Promise<Row[]> {
  using folder = temporaryFolder();
  const mandates = join(folder.path, 'mandates.json');
  writeFileSync(mandates, JSON.stringify(MANDATE));
  return [...(await overStdio(mandates)), ...(await overHttp())];
}

async function overStdio(mandates: string): Promise<Row[]> {
  const bare = [SERVER, 'stdio'];
  const proxied = [CLI, 'mcp', '--agent', 'bot', '--mandates', mandates, '--', process.execPath, ...bare];
  return compare({
    pairs: 5,
    ours: () => oneByOne(proxied),
    rival: { what: 'the server without the proxy', run: () => oneByOne(bare) },
    figures: {
      p50Ms: { what: 'calls over stdio, one after the other: p50', unit: 'ms' },
      p99Ms: { what: 'calls over stdio, one after the other: p99', unit: 'ms' },
    },
  });
}

/** Starts the program, and calls its tool again and again. */
async function oneByOne(args: readonly string[]): Promise<Sample<keyof Latencies>> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface(child.stdout);
  const answers = lines[Symbol.asyncIterator]();
  const timesMs: number[] = [];
  for (let call = 0; call <= CALLS; call += 1) {
    const sentMs = performance.now();
    child.stdin.write(`${requestOf(call)}\n`);
    const { value } = await answers.next();
    if (!String(value).includes('A short answer.')) throw new Error(`not a result: ${value}`);
    // The first call waits until the program has started.
    if (call > 0) timesMs.push(performance.now() - sentMs);
  }
  child.stdin.end();
  await once(child, 'exit');
  // The work is done in other processes.
  return { ...latenciesOf(timesMs), cpuMicros: 0 };
}

function requestOf(id: number): string {
  const params = { name: 'echo', arguments: { message: `hello ${id}` } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

async function overHttp(): Promise<Row[]> {
  const server = fork(SERVER, { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] });
  const [url] = (await once(server, 'message')) as [string];
  using bare = await startBareProxy(url);
  const proxy = await startHttpProxy({
    ...{ host: '127.0.0.1', port: 0, upstream: new URL(`${url}/mcp`), knownHosts: ['bench'] },
    callers: new Callers(
      { agentId: 'bot', principalId: undefined, runId: undefined },
      new Mandate({ mandate: MANDATE as never }),
      null,
    ),
    settings: {
      ...{ prefix: '', filtersLists: true, defer: 'error', holdMs: 1, usesHints: true },
      ...{ pins: null, approvalUrl: null },
    },
    mostBytes: 1024 * 1024,
    repeats: true,
    warn: (text) => console.error(text),
  });
  const client = startHttpLoad();
  try {
    return await calling(client, { ours: proxy.url.replace(/\/mcp$/, ''), theirs: bare.url });
  } finally {
    client.stop();
    await proxy.stop();
    server.kill();
  }
}

function calling(client: HttpLoad, { ours, theirs }: { ours: string; theirs: string }): Promise<Row[]> {
  const bodies = Array.from({ length: CALLS }, (_, call) => requestOf(call));
  const load = { path: '/mcp', key: null, connections: CONNECTIONS, bodies, expected: 'A short answer.' };
  const what = `calls over HTTP, ${CONNECTIONS} connections`;
  return compare({
    pairs: 5,
    ours: () => figuresOf(client, { url: ours, ...load }),
    rival: { what: 'a bare pass-through', run: () => figuresOf(client, { url: theirs, ...load }) },
    figures: {
      perSecond: { what: `${what}: rate`, unit: '/s' },
      p50Ms: { what: `${what}: p50`, unit: 'ms' },
      p99Ms: { what: `${what}: p99`, unit: 'ms' },
    },
  });
}
