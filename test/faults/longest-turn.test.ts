/**
 * Searches, for each route with a body, the body that blocks the event loop longest. Tries random bodies of the
 * maximum size, and varies the slowest repeatedly. No turn of the event loop may take 50 ms of CPU time.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder } from '@mandate/runtime';
import { API_SCOPES, CAPS } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { IS_LONG, type PlaneProcess, SEED, seededRandom, startPlane } from '@mandate/testing';
import { MOST_BUSY_MS, quietestOf } from '@mandate/testing/busiest-turn';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Described, operationsOf, requiredValues, urlOf } from '../e2e/interface/described.ts';
import { describedBy } from './attacks/hostile-parameters.ts';
import { type Body, changedBody, drawnBody, KNOWN_BODIES, written } from './support/largest-bodies.ts';

/** The number of random bodies for each route. Bodies that are known to be slow are tried too. */
const DRAWN = IS_LONG ? 60 : 2;
const TENANT = 'default';
const NO_BOUND = { perSecond: CAPS.throughput, burst: CAPS.throughput, perDay: CAPS.throughput };
/**
 * Statuses of requests that are refused before their body is parsed: no valid key or scope, or a limit is reached.
 */
const NOT_PARSED = [401, 403, 429];

let plane: PlaneProcess;
let data: string;
let key: string;
let operations: readonly Described[];

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'mandate-turns-'));
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: all\nagents: ["*"]\n');
  const issued = issueApiKey({ tenant: TENANT, scopes: API_SCOPES, agents: ['*'], name: 'key' });
  await fileKeyStore(dataFolder(data).keys).add(issued.record);
  key = issued.key;
  const preload = new URL('./support/report-turns.ts', import.meta.url).href;
  plane = await startPlane({ data, mandates, env: { NODE_OPTIONS: `--import=${preload}` } });
  const quotas = { publish: { records: NO_BOUND, bytes: NO_BOUND }, changes: NO_BOUND, reads: NO_BOUND };
  const opened = await fetch(`${plane.url}/v1/tenants`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ version: 1, id: TENANT, quotas }),
  });
  expect(opened.status).toBe(201);
  const all = operationsOf(await describedBy(plane.url));
  operations = all.filter(({ requestBody }) => requestBody?.content['application/json'] !== undefined);
});
afterAll(async () => {
  // The plane is killed, because it is never idle and does not end by itself.
  await plane?.kill('SIGKILL');
  rmSync(data, { recursive: true });
});

test('no body blocks the event loop', { timeout: IS_LONG ? 3_600_000 : 600_000 }, async () => {
  const random = seededRandom(SEED);
  const tooLong: Record<string, number> = {};
  for (const operation of operations) {
    const { body, ms } = await longestOf(operation, random);
    if (ms >= MOST_BUSY_MS) tooLong[`${operation.method} ${operation.path} ${JSON.stringify(body)}`] = ms;
  }
  expect(operations.length).toBeGreaterThan(20);
  expect(tooLong).toEqual({});
});

/** Returns the slowest body found for this route, with its CPU time in ms. */
async function longestOf(operation: Described, random: () => number): Promise<{ body: Body; ms: number }> {
  const example = exampleOf(operation);
  let longest = { body: drawnBody(random), ms: -1 };
  const attempt = async (body: Body) => {
    const ms = await turnOf(operation, written(body, example));
    if (ms > longest.ms) longest = { body, ms };
  };
  for (const body of KNOWN_BODIES) await attempt(body);
  for (let drawn = 0; drawn < DRAWN; drawn += 1)
    await attempt(random() < 0.5 ? drawnBody(random) : changedBody(longest.body, random));
  if (longest.ms < MOST_BUSY_MS) return longest;
  const text = written(longest.body, example);
  return { ...longest, ms: await quietestOf(() => turnOf(operation, text)) };
}

/**
 * Returns the longest turn of the event loop, in ms of CPU time, while the plane received, parsed and answered a
 * body.
 */
async function turnOf(operation: Described, body: string): Promise<number> {
  await longestTurn();
  const answer = await fetch(plane.url + urlOf(operation, requiredValues(operation)), {
    method: operation.method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body,
  });
  await answer.arrayBuffer();
  // A request with one of these statuses was refused before its body was parsed, so its measured turn would mean
  // nothing.
  expect(NOT_PARSED, `${operation.method} ${operation.path}`).not.toContain(answer.status);
  return longestTurn();
}

async function longestTurn(): Promise<number> {
  const said = plane.says('stderr', (line) => /^longest turn: (\S+)$/.exec(line)?.[1]);
  plane.process.kill('SIGUSR2');
  return Number(await said);
}

function exampleOf({ requestBody }: Described): unknown {
  const content = requestBody?.content['application/json'];
  const [named] = Object.values(content?.examples ?? {}) as { value?: unknown }[];
  return content?.example ?? named?.value ?? named ?? {};
}
