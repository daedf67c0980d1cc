import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@mandate/runtime';
import { byLength, seededRandom } from '@mandate/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Bus, LogRecord } from '../port.ts';
import { createSqliteBus } from './create-sqlite-bus.ts';

const PRODUCER = fileURLToPath(new URL('./system/producer.ts', import.meta.url));
const CONSUMER = fileURLToPath(new URL('./system/consumer.ts', import.meta.url));
const HOLDER = fileURLToPath(new URL('./system/holder.ts', import.meta.url));
const TOPIC = 'work';
const PATIENCE = { timeout: 30_000, interval: 10 };

let folder: string;
let path: string;
let bus: Bus;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mandate-bus-'));
  path = join(folder, 'log.db');
  bus = await createSqliteBus({ path, log: silentLogger() });
});

afterEach(async () => {
  await Promise.all([...children].map((child) => end(child, 'SIGKILL')));
  await bus.close();
  await rm(folder, { recursive: true });
});

test('loses no record, keeps the order and never commits before the work if producers and consumers are killed at random', async () => {
  const KILLS = byLength({ short: 5, full: 15 });
  const seed = Date.now() % 2 ** 31;
  const random = seededRandom(seed);
  const producers = ['a', 'b', 'c'].map((name) => ({
    name,
    file: PRODUCER,
    args: [path, TOPIC, name, journal(name)],
  }));
  const consumers = ['x', 'y', 'z'].map((name) => ({
    name,
    file: CONSUMER,
    args: [path, TOPIC, journal(name)],
  }));
  const roles = [...producers, ...consumers].map((role) => ({ ...role, child: start(role.file, role.args) }));

  for (let kills = 0; kills < KILLS; kills++) {
    const victim = roles[Math.floor(random() * roles.length)];
    if (victim === undefined) throw new Error('there is no such role');
    const before = lines(victim.name).length;
    await vi.waitFor(() => expect(lines(victim.name).length).toBeGreaterThan(before), PATIENCE);
    // This pause waits for no condition, because the process must die at a random moment.
    await pause(random() * 30);
    await end(victim.child, 'SIGKILL');
    // The positions must be read before the journals. Then the journals already contain everything that is committed.
    const committed = positions();
    expectWorkBehind(committed, handled(), seed);
    victim.child = start(victim.file, victim.args);
  }
  await Promise.all(roles.filter(({ file }) => file === PRODUCER).map(({ child }) => end(child, 'SIGTERM')));
  const ends = (await bus.ranges(TOPIC)).map(({ endOffset }) => endOffset);
  await vi.waitFor(() => expect(positions()).toEqual(ends), PATIENCE);
  await Promise.all(roles.map(({ child }) => end(child, 'SIGTERM')));
  const log = await everything();
  const handledRecords = handled();
  expect(ends.reduce((sum, endOffset) => sum + endOffset, 0)).toBe(log.length);
  expect(new Set(handledRecords.map(positionText)).size, `seed ${seed}`).toBe(log.length);
  expectWorkBehind(ends, handledRecords, seed);
  expectInOrder(handledRecords, seed);
  for (const name of ['a', 'b', 'c']) expectOnLog(lines(name), log, seed);
  expectKeysInOrder(log, seed);
  expect(integrity()).toBe('ok');
});

test('fences a member that was suspended longer than its session, and then lets it join again', async () => {
  await bus.append(TOPIC, [{ key: 'k', value: '0' }]);
  const suspended = start(HOLDER, [path, TOPIC, '300'], 'ipc');
  await message(suspended, 'holding');
  suspended.kill('SIGSTOP');
  const seen: string[] = [];
  const other = await bus.consume({
    group: 'workers',
    topics: [TOPIC],
    from: 'earliest',
    sessionTimeoutMs: 300,
    async onBatch(batch) {
      seen.push(...batch.records.map(({ value }) => Buffer.from(value).toString()));
      await batch.commit((batch.records[0]?.position.offset ?? 0) + batch.records.length);
    },
  });
  await vi.waitFor(() => expect(seen).toEqual(['0']), PATIENCE);
  const refused = message(suspended, 'BUS_FENCED');
  suspended.kill('SIGCONT');
  suspended.send('commit');
  await refused;

  await other.stop();
  const again = message(suspended, 'holding');
  await bus.append(TOPIC, [{ key: 'k', value: '1' }]);
  await again;
  const committed = message(suspended, 'committed');
  suspended.send('commit');
  await committed;
  await end(suspended, 'SIGTERM');
});

type Handled = { time: bigint; partition: number; offset: number };

function start(file: string, args: readonly string[], stdio: 'ipc' | 'none' = 'none'): ChildProcess {
  const child = fork(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  if (stdio === 'none') child.disconnect();
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function message(child: ChildProcess, wanted: string): Promise<void> {
  for (;;) {
    const [said] = await once(child, 'message');
    if (said === wanted) return;
  }
}

function journal(name: string): string {
  return join(folder, `${name}.journal`);
}

/** Returns the complete lines of a file. A kill may cut the last line, which then has no line end. */
function lines(name: string): string[][] {
  if (!existsSync(journal(name))) return [];
  return readFileSync(journal(name), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '));
}

function handled(): Handled[] {
  return ['x', 'y', 'z']
    .flatMap(lines)
    .map(([time = '0', partition, offset]) => ({
      time: BigInt(time),
      partition: Number(partition),
      offset: Number(offset),
    }))
    .sort((a, b) => (a.time < b.time ? -1 : 1));
}

function positionText({ partition, offset }: { partition: number; offset: number }): string {
  return `${partition}/${offset}`;
}

/** Reads the group's committed positions by partition from the file. */
function positions(): number[] {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const rows = db
    .prepare("SELECT next_offset FROM positions WHERE group_name = 'workers' ORDER BY partition_id")
    .all();
  db.close();
  return rows.map((row) => Number(row.next_offset));
}

function integrity(): unknown {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const row = db.prepare('PRAGMA integrity_check').get();
  db.close();
  return row?.integrity_check;
}

async function everything(): Promise<LogRecord[]> {
  const log: LogRecord[] = [];
  const reader = await bus.read({
    topics: [TOPIC],
    from: 'earliest',
    onRecords: (records) => void log.push(...records),
  });
  await reader.caughtUp;
  await reader.stop();
  return log;
}

function expectWorkBehind(committed: readonly number[], done: readonly Handled[], seed: number): void {
  const positions = new Set(done.map(positionText));
  const notDone = committed.flatMap((position, partition) =>
    Array.from({ length: position }, (_, offset) => positionText({ partition, offset })).filter(
      (at) => !positions.has(at),
    ),
  );
  expect(notDone, `seed ${seed}: committed, not done`).toEqual([]);
}

/** Expects that no record of a partition was handled before all earlier records of the partition. */
function expectInOrder(done: readonly Handled[], seed: number): void {
  const next = new Map<number, number>();
  const early = done.filter(({ partition, offset }) => {
    const reached = next.get(partition) ?? 0;
    next.set(partition, Math.max(reached, offset + 1));
    return offset > reached;
  });
  expect(early, `seed ${seed}`).toEqual([]);
}

function expectOnLog(acknowledged: readonly string[][], log: readonly LogRecord[], seed: number): void {
  const values = new Map(
    log.map(({ position, value }) => [positionText(position), Buffer.from(value).toString()]),
  );
  const missing = acknowledged.filter(
    ([partition, offset, value]) => values.get(`${partition}/${offset}`) !== value,
  );
  expect(missing, `seed ${seed}`).toEqual([]);
}

/** Expects that the numbers of a key first appear in rising order. A retry after a kill may repeat numbers. */
function expectKeysInOrder(log: readonly LogRecord[], seed: number): void {
  for (const [key, records = []] of Object.entries(Object.groupBy(log, ({ key: of }) => of ?? ''))) {
    const numbers = records.map(({ value }) => Number(Buffer.from(value).toString().split(':')[1]));
    const firsts = [...new Set(numbers)];
    expect(firsts, `seed ${seed}: ${key}`).toEqual(firsts.toSorted((a, b) => a - b));
  }
}
