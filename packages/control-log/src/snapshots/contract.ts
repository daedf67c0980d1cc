/** Tests of a start from a snapshot of the control topic. They run on every log and every snapshot store. */
import type { Bus, Snapshots } from '@mandate/bus';
import { foldControl, writeControl } from '@mandate/control';
import { silentLogger } from '@mandate/runtime';
import { controlRecord, TOPICS } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { busWith, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type FollowedControl, followControl } from '../follow-control.ts';
import { controlReplica } from '../replica/control-replica.ts';
import { feedReplica } from '../replica/feed-replica.ts';
import { newestHead, sha256Of } from './newest-fold.ts';
import { takeControlSnapshot } from './take-snapshot.ts';

export type Home = { bus: Bus; snapshots: Snapshots };

const log = silentLogger();
let changes = 0;

/** Writes this many versions of policies. */
export async function write(bus: Bus, count: number): Promise<void> {
  const records = Array.from({ length: count }, () => {
    changes += 1;
    const at = '2026-03-01T12:00:00.000Z';
    const change = { id: `chg-${changes}`, tenant: `t-${changes % 2}`, by: 'ann', reason: '', at };
    const policy = { version: 1, id: `p-${changes % 3}`, maxCostTotal: changes };
    return controlRecord.parse({ event: 'policy.published', change, policy });
  });
  await bus.append(
    TOPICS.control,
    records.map((record) => ({ key: record.change.tenant, partition: 0, value: JSON.stringify(record) })),
  );
}

type Following = Partial<Parameters<typeof followControl>[0]> & { bus: Bus };

async function follow(options: Following): Promise<FollowedControl> {
  const control = await followControl({ log, ...options });
  onTestFinished(() => control.stop());
  return control;
}

/**
 * Starts with the snapshot, if it can be used, and expects the same state as from the whole log. Returns the number
 * of records read, and the warnings.
 */
async function startBehind({ bus, snapshots }: Home) {
  const warned: string[] = [];
  let records = 0;
  const counting = busWith(bus, {
    read: (options) =>
      bus.read({
        ...options,
        onRecords(read) {
          records += read.length;
          return options.onRecords(read);
        },
      }),
  });
  const destination = { write: (line: string) => void warned.push(JSON.parse(line).msg) };
  const control = await follow({
    bus: counting,
    snapshots,
    log: createLogger({ name: 'test', level: 'warn', destination }),
  });
  const whole = await follow({ bus });
  expect([control.revision(), control.digest()]).toEqual([whole.revision(), whole.digest()]);
  return { records, warned };
}

const take = ({ bus, snapshots }: Home, afterRecords = 1) =>
  takeControlSnapshot({ bus, log, snapshots, afterRecords });

/** Returns the lines of a snapshot of the whole log. */
async function linesOf(bus: Bus): Promise<string[]> {
  const [range] = await bus.ranges(TOPICS.control);
  const fold = foldControl();
  let last = new Uint8Array();
  for (let offset = 0; offset < (range?.endOffset ?? 0); offset += 1) {
    const record = await bus.at({ topic: TOPICS.control, partition: 0, offset });
    last = new Uint8Array(record?.value ?? []);
    fold.apply(controlRecord.parse(JSON.parse(Buffer.from(last).toString())), offset + 1);
  }
  return [...writeControl(fold, { offset: (range?.endOffset ?? 0) - 1, sha256: sha256Of(last) })];
}

/** @param open called before each test: returns an empty log and an empty snapshot store */
export function controlSnapshotsContract(open: () => Promise<Home>): void {
  test('reads all records without a snapshot, reads only later records with a snapshot, and reaches the same state', async () => {
    const home = await open();
    await write(home.bus, 40);
    expect(await startBehind(home)).toEqual({ records: 40, warned: [] });
    expect((await take(home)).saved).not.toBe(null);
    await write(home.bus, 10);
    expect(await startBehind(home)).toEqual({ records: 10, warned: [] });
  });

  test('keeps a replica equal to every reader, with a snapshot and without a snapshot', async () => {
    const home = await open();
    const { bus } = home;
    await write(bus, 40);
    await take(home);
    await write(bus, 10);
    const control = await follow({ bus });
    for (const snapshots of [undefined, home.snapshots]) {
      const replica = controlReplica();
      const fed = await feedReplica({ bus, log, snapshots }, replica);
      onTestFinished(() => fed.stop());
      expect([replica.revision(), replica.digest()]).toEqual([control.revision(), control.digest()]);
      const { revision } = control;
      const upTo = revision() + 5;
      await write(bus, 5);
      await waitUntil('both to have read it', () => revision() === upTo && replica.revision() === upTo);
      expect(replica.digest()).toBe(control.digest());
    }
  });

  test('takes a snapshot only if enough records follow the newest one', async () => {
    const home = await open();
    await write(home.bus, 20);
    expect(await take(home, 21)).toEqual({ saved: null, nextAt: 21 });
    expect(await take(home, 20)).toMatchObject({ saved: { name: expect.any(String) }, nextAt: 40 });
    await write(home.bus, 10);
    // The snapshot has 42 entries: two tenants, 20 versions, and the results of 20 changes.
    expect(await take(home)).toEqual({ saved: null, nextAt: 31 });
    await write(home.bus, 1);
    expect((await take(home)).saved).not.toBe(null);
    expect((await startBehind(home)).records).toBe(0);
  });

  test.each<[string, (lines: string[]) => string[]]>([
    ['cut short', (lines) => lines.slice(0, -1)],
    ['in which a bound was changed', (lines) => lines.map((line) => line.replace('maxCostTotal":', '$&1'))],
    ['of a later version', (lines) => lines.map((line) => line.replace(/"version":\d+/, '"version":99'))],
    ['of other records', (lines) => lines.map((line) => line.replace(/"shape":"./, '"shape":"x'))],
    ['that is none', () => ['nothing']],
    ['of nothing', () => []],
  ])('skips a snapshot %s, with a warning', async (_what, spoil) => {
    const home = await open();
    await write(home.bus, 20);
    await home.snapshots.save(spoil(await linesOf(home.bus)));
    const { records, warned } = await startBehind(home);
    expect([records, warned]).toEqual([20, ['a snapshot cannot be read and is skipped']]);
  });

  test('skips a snapshot of another log that is longer or has other records', async () => {
    for (const more of [0, 5]) {
      const [home, other] = [await open(), await open()];
      await write(home.bus, 20);
      await write(other.bus, 20 + more);
      await home.snapshots.save(await linesOf(other.bus));
      expect(await startBehind(home)).toEqual({
        records: 20,
        warned: ['a snapshot belongs to another log and is skipped'],
      });
    }
  });

  test('ignores a snapshot whose writer died in the middle', async () => {
    const home = await open();
    await write(home.bus, 20);
    const lines = await linesOf(home.bus);
    function* broken() {
      yield* lines.slice(0, 2);
      throw new Error('killed');
    }
    await expect(home.snapshots.save(broken())).rejects.toThrow('killed');
    expect(await startBehind(home)).toEqual({ records: 20, warned: [] });
  });

  test('reads the whole log if the snapshot store does not answer', async () => {
    const { bus, snapshots } = await open();
    await write(bus, 20);
    const newestFirst = () => {
      throw new Error('not authorized');
    };
    const { records, warned } = await startBehind({ bus, snapshots: { ...snapshots, newestFirst } });
    expect([records, warned]).toEqual([20, ['snapshots cannot be read; the log is folded from its start']]);
  });

  test('writes snapshots in any number of running processes, so that a start reads few records', async () => {
    const { bus, snapshots } = await open();
    const following = { bus, snapshots, leaveAfterRecords: 40 };
    const both = [await follow(following), await follow(following)];
    for (let written = 0; written < 200; written += 20) await write(bus, 20);
    // After a snapshot of n records, another is due at most (2n + 2) / 4 + 10 records later. With n of 128 or more,
    // that may be after the last record.
    await waitUntil('a snapshot', async () => {
      const head = await newestHead(bus, log, snapshots);
      return (head?.offset ?? 0) >= 127;
    });
    for (const control of both) await control.stop();
    expect((await startBehind({ bus, snapshots })).records).toBeLessThanOrEqual(200 - 128);
  });

  test('includes records in the next snapshot if they arrive while a snapshot is written', async () => {
    const { bus, snapshots } = await open();
    const written = Promise.withResolvers<void>();
    const save: Snapshots['save'] = async (...given) => {
      await written.promise;
      return snapshots.save(...given);
    };
    const control = await follow({ bus, snapshots: { ...snapshots, save }, leaveAfterRecords: 10 });
    await write(bus, 20);
    await waitUntil('the first', () => control.revision() === 20);
    await write(bus, 40);
    await waitUntil('the rest', () => control.revision() === 60);
    written.resolve();
    await waitUntil('the next', async () => (await newestHead(bus, log, snapshots))?.offset === 59);
  });

  test('continues if a snapshot cannot be written', async () => {
    const { bus, snapshots } = await open();
    let tried = 0;
    const save = async () => {
      tried += 1;
      throw new Error('no room');
    };
    const control = await follow({ bus, snapshots: { ...snapshots, save }, leaveAfterRecords: 10 });
    await write(bus, 40);
    await waitUntil('an attempt', () => tried > 0);
    await waitUntil('the end', () => control.revision() === 40);
    expect((await startBehind({ bus, snapshots })).records).toBe(40);
  });
}
