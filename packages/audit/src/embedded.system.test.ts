/** Tests the promises of the embedded ClickHouse, and the mistakes that our code must prevent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, getPriority, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type AuditClient, openEmbeddedAudit } from './index.ts';

let path: string;
let audit: AuditClient | null = null;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'mandate-audit-'));
});
afterEach(async () => {
  await audit?.close();
  audit = null;
  rmSync(path, { recursive: true });
});

async function open(): Promise<AuditClient> {
  audit = await openEmbeddedAudit({ path });
  return audit;
}

/**
 * Starts a process that inserts batches without end. Resolves after `batches` inserts. The process continues to
 * insert.
 */
async function writer(batches: number): Promise<{ child: ChildProcess; acknowledged: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'system/embedded-writer.ts'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line);
    batches -= 1;
    if (batches === 0) break;
  }
  return { child, acknowledged };
}

test('keeps only whole inserts and every acknowledged insert if its process is killed, and opens again at once', async () => {
  for (let round = 1; round <= 4; round += 1) {
    const { child, acknowledged } = await writer(5 + round);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const client = await open();
    const [kept] = await client.query(
      'SELECT count() AS rows, max(batch) AS batch FROM pulses FINAL',
      {},
      z.object({ rows: z.int(), batch: z.int() }),
    );
    expect(kept?.batch).toBeGreaterThanOrEqual(acknowledged);
    expect(kept?.rows).toBe((kept?.batch ?? 0) * 200);
    await client.close();
  }
});

test.runIf(process.platform === 'linux')(
  'gives the threads of ClickHouse a lower priority than the event loop',
  async () => {
    const own = getPriority();
    await open();
    const threads = readdirSync('/proc/self/task').filter((thread) => {
      const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
      return /^(libuv-worker|MergeMutate|BgSchPool)$/.test(name);
    });
    const priorities = () => new Set(threads.map((thread) => getPriority(Number(thread))));
    const lower = Math.min(own + constants.priority.PRIORITY_BELOW_NORMAL, constants.priority.PRIORITY_LOW);
    // A thread of the engine that was more urgent than the event loop is lowered after a moment.
    const [urgent] = threads;
    setPriority(Number(urgent), own);
    await vi.waitFor(() => expect(priorities()).toEqual(new Set([lower])), 10_000);
    expect(getPriority()).toBe(own);
  },
);

test('refuses a directory that another process uses, and names that process', async () => {
  const { child } = await writer(1);
  try {
    await expect(open()).rejects.toMatchObject({
      code: 'AUDIT_LOCKED',
      message: expect.stringContaining(`${child.pid}`),
    });
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await (await open()).ping();
});

test('refuses a second directory in one process, and leaves the first open', async () => {
  const client = await open();
  await expect(openEmbeddedAudit({ path: join(path, 'second') })).rejects.toMatchObject({
    code: 'AUDIT_NOT_OPENED',
  });
  await client.ping();
});

test('names the platform if there is no engine for it, and recommends a server', async () => {
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'riscv64' });
  try {
    await expect(open()).rejects.toMatchObject({
      code: 'AUDIT_ENGINE_MISSING',
      message: expect.stringContaining(`${process.platform} riscv64`),
      remedy: expect.stringContaining('MANDATE_CLICKHOUSE_URL'),
    });
  } finally {
    Object.defineProperty(process, 'arch', { value: arch });
  }
});

test('runs an aborted query to its end', async () => {
  const { query } = await open();
  const givingUp = new AbortController();
  const answer = query('SELECT 1 AS n', {}, z.object({ n: z.int() }), givingUp.signal);
  givingUp.abort();
  expect(await answer).toEqual([{ n: 1 }]);
});
