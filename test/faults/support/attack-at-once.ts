/**
 * Runs all attacks at once on a plane of one process, while honest callers use it: an operator who kills, and agents
 * that wait for decisions. The process of the test only measures the waiting times.
 */
import { randomUUID } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, waitUntil } from '@mandate/testing';
import type { AttackerKey, NamedAttack } from '../attacks/attacks.ts';
import type { Attackers, Ended } from '../attacks/main.ts';
import { debugHeap } from '../soak/held-bytes.ts';
import { attackedPlane } from './attacked-plane.ts';

const MAIN = join(import.meta.dirname, '../attacks/main.ts');
/**
 * The addresses of the attackers. On Linux every address of 127.0.0.0/8 is this machine. Honest callers use
 * 127.0.0.1.
 */
const ADDRESSES = process.platform === 'linux' ? ['127.0.0.2', '127.0.0.3', '127.0.0.4'] : [];
const HONEST: readonly AttackerKey[] = [
  { tenant: 'honest', scopes: ['publish'] },
  { tenant: 'honest', scopes: ['operate'] },
  // The operator uses this key to stop the attackers.
  { tenant: 'flood', scopes: ['operate'] },
];
const KILL_EVERY_MS = 50;
const ASK_EVERY_MS = 50;
const LOOK_EVERY_MS = 1_000;
const GIVEN_UP_MS = 60_000;
/** The longest wait for a decision, in ms. It is long, because the records of the attackers are decided first. */
const CAUGHT_UP_MS = 150_000;

export type Attacked = {
  /**
   * The times of all kills and all actions, in ms, in ascending order. Each is measured from the first byte sent to
   * the last byte received.
   */
  killMs: readonly number[];
  decisionMs: readonly number[];
  /** The wrong answers that honest callers got. */
  wronged: readonly string[];
  ended: Ended;
  exitCode: number | null;
  /** The number of uncaught exceptions in requests. */
  faults: number;
  heldBytes: { before: number; after: number };
  mostResidentBytes: number;
  /** The size of the data folder in bytes. */
  diskBytes: { before: number; after: number };
  /** The longest delay of the measuring process itself, in ms. */
  ownLagMs: number;
};

/** @param env settings of the plane */
export async function attackAtOnce(
  attacks: readonly NamedAttack[],
  ms: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Attacked> {
  const attackers = attacks.flatMap(({ keys }) => keys);
  const attacked = await attackedPlane([...HONEST, ...attackers], env);
  try {
    const { plane, url, data } = attacked;
    const [publisher = '', operator = '', operatorOfFlood = '', ...keys] = attacked.keys;
    await attacked.servesOthers();
    const heldBytes = await debugHeap(plane);
    const before = { held: (await heldBytes()) ?? 0, disk: bytesIn(data) };

    const child = startAttackers({ url, addresses: ADDRESSES, attacks: withKeys(attacks, keys) });
    await child.says('stdout', (line) => (line === '"attacking"' ? true : undefined));
    const over = new AbortController();
    const measured = measure(over.signal, { url, publisher, operators: [operator, operatorOfFlood] });
    const watched = watchPlane(over.signal, url);
    await sleep(ms);
    over.abort();
    const [honest, mostResidentBytes] = await Promise.all([measured, watched]);
    const said = child.says('stdout', (line): Ended => JSON.parse(line));
    await child.kill();
    const ended = await said;

    await waitUntil('honest callers to be served again', () => isServed(attacked), CAUGHT_UP_MS);
    return {
      ...honest,
      ended,
      exitCode: plane.process.exitCode,
      faults: await metricOf(url, 'mandate_http_faults_total'),
      heldBytes: { before: before.held, after: (await heldBytes()) ?? Number.NaN },
      mostResidentBytes: Math.max(mostResidentBytes, peakResidentBytes(plane.process.pid)),
      diskBytes: { before: before.disk, after: bytesIn(data) },
    };
  } finally {
    await attacked.stop();
  }
}

async function isServed({ servesOthers }: { servesOthers(): Promise<void> }): Promise<boolean> {
  return servesOthers().then(
    () => true,
    () => false,
  );
}

/** Returns the 99th percentile. @param sorted in ascending order */
export function p99(sorted: readonly number[]): number {
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

function withKeys(attacks: readonly NamedAttack[], issued: readonly string[]): Attackers['attacks'] {
  let from = 0;
  return attacks.map(({ name, keys }) => {
    from += keys.length;
    return { name, keys: issued.slice(from - keys.length, from) };
  });
}

function startAttackers(attackers: Attackers) {
  return startProcess(MAIN, [], { ...process.env, ATTACKERS: JSON.stringify(attackers) });
}

type Honest = { url: string; publisher: string; operators: readonly string[] };

async function measure(until: AbortSignal, { url, publisher, operators }: Honest) {
  const wronged: string[] = [];
  const killMs: number[] = [];
  const decisionMs: number[] = [];
  let ownLagMs = 0;

  async function timed(into: number[], sent: Sent, isRight: (answer: string) => boolean): Promise<void> {
    const { status, text, ms } = await ask(url, sent);
    into.push(ms);
    if (status !== 200 || !isRight(text)) wronged.push(`${sent.path}: ${status} ${text.slice(0, 500)}`);
  }
  async function kill(): Promise<void> {
    for (let nth = 0; !until.aborted; nth += 1) {
      const path = `/v1/agents/victim-${nth}/kill`;
      const key = operators[nth % operators.length] ?? '';
      await timed(killMs, { key, path, body: { reason: 'a test' } }, () => true);
      await sleep(KILL_EVERY_MS);
    }
  }
  async function act(): Promise<void> {
    for (let nth = 0; !until.aborted; nth += 1) {
      const body = { id: randomUUID(), agentId: `honest-${nth % 20}`, type: 'tool_call', tool: 'look' };
      const sent = { key: publisher, path: '/v1/actions?waitMs=20000', body };
      await timed(decisionMs, sent, (text) => /"verdict":"ALLOW"|"decision":null/.test(text));
      await sleep(ASK_EVERY_MS);
    }
  }
  async function watchOneself(): Promise<void> {
    while (!until.aborted) {
      const before = performance.now();
      await sleep(10);
      ownLagMs = Math.max(ownLagMs, performance.now() - before - 10);
    }
  }
  await Promise.all([kill(), act(), watchOneself()]);
  const ascending = (all: number[]) => all.toSorted((a, b) => a - b);
  return { wronged, killMs: ascending(killMs), decisionMs: ascending(decisionMs), ownLagMs };
}

/** Reads the metrics of the plane until the signal aborts. Returns the most memory that it used, in bytes. */
async function watchPlane(until: AbortSignal, url: string): Promise<number> {
  let most = 0;
  while (!until.aborted) {
    const now = await metricOf(url, 'process_resident_memory_bytes');
    // The plane may close a connection that shows no key, to admit others. Then a value is missing.
    if (!Number.isNaN(now)) most = Math.max(most, now);
    await sleep(LOOK_EVERY_MS);
  }
  return most;
}

/** Returns the most memory that a process has used so far, in bytes. 0 on systems that do not tell it. */
function peakResidentBytes(pid: number | undefined): number {
  if (process.platform !== 'linux') return 0;
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

async function metricOf(url: string, name: string): Promise<number> {
  const { text } = await ask(url, { path: '/metrics' });
  return Number(new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(text)?.[1]);
}

type Sent = { path: string; key?: string; body?: object };

/** Sends a request on a new connection, because an operator who arrives during an attack has no open connection. */
function ask(url: string, { path, key, body }: Sent): Promise<{ status: number; text: string; ms: number }> {
  const beganAt = performance.now();
  return new Promise((resolve) => {
    const answered = (status: number, text: string) =>
      resolve({ status, text, ms: performance.now() - beganAt });
    const options = {
      method: body === undefined ? 'GET' : 'POST',
      agent: false,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(GIVEN_UP_MS),
    };
    const sent = request(new URL(path, url), options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', (error) => answered(0, String(error)));
      answer.on('end', () => answered(answer.statusCode ?? 0, text));
    });
    sent.on('error', (error) => answered(0, String(error)));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function bytesIn(path: string): number {
  return entriesOf(path).reduce((sum, entry) => {
    const within = join(path, entry.name);
    return sum + (entry.isDirectory() ? bytesIn(within) : (statSync(within, NOT_STRICT)?.size ?? 0));
  }, 0);
}

/** The databases of the plane replace files and folders while the plane runs, so a file may be gone. */
const NOT_STRICT = { throwIfNoEntry: false } as const;

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
