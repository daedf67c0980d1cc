import { fork } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDecision, temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { Audit, type AuditOptions } from '../audit.ts';
import type { AuditRecord } from './audit-output.ts';
import { fileOutput } from './file-output.ts';
import { RecordsRefused } from './records-refused.ts';

const DECISION = buildDecision(1, { appendedAtMs: Date.parse('2026-03-01T12:00:00Z') });
const decided = (id: string): AuditRecord => ({ event: 'action.decided', decision: { ...DECISION, id } });
const idOf = (record: AuditRecord) => (record.event === 'action.decided' ? record.decision.id : '');
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `dec_${from + at}`);

/** An output that works only while `isUp`. */
function output() {
  const taken: string[] = [];
  const batches: number[] = [];
  const it = {
    isUp: true,
    taken,
    batches,
    target: (records: readonly AuditRecord[]) => {
      if (!it.isUp) throw new Error('the output is away');
      batches.push(records.length);
      taken.push(...records.map(idOf));
    },
  };
  return it;
}

function audit(options: AuditOptions) {
  const errors: unknown[] = [];
  const opened = new Audit(options, (error) => errors.push(error));
  const record = (from: number, to: number) => {
    for (const id of ids(from, to)) opened.record(decided(id));
  };
  return {
    audit: opened,
    record,
    errors,
    codes: () => errors.map((error) => (error as { code?: string }).code),
  };
}

test('sends records in batches and in order, to several outputs', async () => {
  const [one, other] = [output(), output()];
  const { audit: opened, record, errors } = audit({ outputs: [one.target, other.target] });
  record(0, 1_200);
  expect(one.taken).toEqual([]);
  expect(await opened.flush()).toEqual({ written: 2_400, waiting: 0, spilled: 0, lost: 0 });
  expect([one.taken, other.taken]).toEqual([ids(0, 1_200), ids(0, 1_200)]);
  expect(Math.max(...one.batches)).toBe(500);
  expect(errors).toEqual([]);
  await opened.close();
});

test('sends the same records again after a failure, and an output that is away delays no other', async () => {
  const [away, other] = [output(), output()];
  away.isUp = false;
  const { audit: opened, record, errors } = audit({ outputs: [away.target, other.target] });
  record(0, 3);
  await expect.poll(() => other.taken).toEqual(ids(0, 3));
  expect(away.taken).toEqual([]);
  expect(String(errors[0])).toContain('the output is away');
  away.isUp = true;
  await opened.flush();
  expect(away.taken).toEqual(ids(0, 3));
  await opened.close();
});

test('counts and reports what does not fit into memory, if there is no spill folder', async () => {
  const out = output();
  const { audit: opened, record, codes, errors } = audit({ outputs: [out.target], maxRecords: 10 });
  record(0, 25);
  expect(opened.counts()).toEqual({ written: 0, waiting: 10, spilled: 0, lost: 15 });
  expect(codes()).toEqual(['AUDIT_RECORDS_LOST']);
  expect(await opened.close()).toMatchObject({ written: 10, lost: 15 });
  expect(out.taken).toEqual(ids(0, 10));
  expect(codes()).toEqual(['AUDIT_RECORDS_LOST', 'AUDIT_RECORDS_LOST']);
  expect(String(errors[1])).toContain('lost 14 records');
  record(25, 26);
  expect(opened.counts().lost).toBe(16);
});

test('limits the bytes of a queue too', async () => {
  const out = output();
  const { audit: opened, record } = audit({ outputs: [out.target], maxBytes: 5_000 });
  record(0, 100);
  expect(opened.counts().waiting).toBeLessThan(10);
  expect(opened.counts().lost).toBeGreaterThan(90);
  await opened.close();
});

test('records that wait when the audit closes without a spill folder are lost, and reported', async () => {
  const out = output();
  out.isUp = false;
  const { audit: opened, record, codes } = audit({ outputs: [out.target] });
  record(0, 3);
  expect(await opened.close({ timeoutMs: 1 })).toEqual({ written: 0, waiting: 0, spilled: 0, lost: 3 });
  expect(codes()).toContain('AUDIT_RECORDS_LOST');
});

test('spills in order to a file, and sends the file when the output is back', async () => {
  const out = output();
  out.isUp = false;
  const spillFolder = temporaryFolder();
  const { audit: opened, record } = audit({ outputs: [out.target], maxRecords: 600, spillFolder });
  for (let at = 0; at < 2_000; at += 100) {
    record(at, at + 100);
    await sleep(0);
  }
  await expect.poll(() => opened.counts()).toEqual({ written: 0, waiting: 600, spilled: 1_400, lost: 0 });
  out.isUp = true;
  record(2_000, 2_010);
  expect(await opened.flush()).toEqual({ written: 2_010, waiting: 0, spilled: 0, lost: 0 });
  expect(out.taken).toEqual(ids(0, 2_010));
  // The file is short again, and records go through memory again.
  await expect.poll(() => statSync(join(spillFolder, 'custom.jsonl')).size).toBe(0);
  record(2_010, 2_012);
  await opened.close();
  expect(out.taken).toEqual(ids(0, 2_012));
});

test('sends spilled records after a restart, in order and once', async () => {
  const out = output();
  const options = { outputs: [out.target], maxRecords: 10, spillFolder: temporaryFolder() };
  out.isUp = false;
  const first = audit(options);
  first.record(0, 10);
  await sleep(0);
  first.record(10, 30);
  expect(await first.audit.close({ timeoutMs: 1 })).toEqual({ written: 0, waiting: 0, spilled: 30, lost: 0 });
  const second = audit(options);
  expect(second.audit.counts().spilled).toBe(30);
  second.record(30, 35);
  expect(await second.audit.close({ timeoutMs: 1 })).toMatchObject({ spilled: 35, lost: 0 });
  out.isUp = true;
  const third = audit(options);
  third.record(35, 40);
  expect(await third.audit.close()).toEqual({ written: 40, waiting: 0, spilled: 0, lost: 0 });
  const fourth = audit(options);
  expect(await fourth.audit.close()).toEqual({ written: 0, waiting: 0, spilled: 0, lost: 0 });
  expect(out.taken).toEqual(ids(0, 40));
});

test('a restart continues in the middle of the file', async () => {
  const out = output();
  const options = { outputs: [out.target], maxRecords: 1, spillFolder: temporaryFolder() };
  out.isUp = false;
  const first = audit(options);
  first.record(0, 1_001);
  await first.audit.close({ timeoutMs: 1 });
  let batches = 0;
  const two = (records: readonly AuditRecord[]) => {
    batches += 1;
    if (batches > 1) throw new Error('away again');
    out.taken.push(...records.map(idOf));
  };
  const second = audit({ ...options, outputs: [two] });
  await expect.poll(() => second.audit.counts().spilled, { timeout: 10_000 }).toBe(501);
  expect(await second.audit.close({ timeoutMs: 1 })).toMatchObject({ spilled: 501 });
  out.isUp = true;
  const third = audit(options);
  await third.audit.close();
  expect(out.taken).toEqual(ids(0, 1_001));
});

test('a line that was cut by a crash is lost, counted and reported, and the others are sent', async () => {
  const out = output();
  const options = { outputs: [out.target], spillFolder: temporaryFolder() };
  out.isUp = false;
  const first = audit(options);
  first.record(0, 3);
  await first.audit.close({ timeoutMs: 1 });
  appendFileSync(join(options.spillFolder, 'custom.jsonl'), '{"event":"action.dec');
  out.isUp = true;
  const second = audit(options);
  second.record(3, 4);
  expect(await second.audit.close()).toMatchObject({ written: 4, lost: 1 });
  expect(second.codes()).toEqual(['AUDIT_RECORDS_LOST']);
  expect(out.taken).toEqual(ids(0, 4));
});

test('a damaged line in the spill file is lost, and the lines after it are sent', async () => {
  const out = output();
  const options = { outputs: [out.target], spillFolder: temporaryFolder() };
  out.isUp = false;
  const first = audit(options);
  first.record(0, 3);
  await first.audit.close({ timeoutMs: 1 });
  const path = join(options.spillFolder, 'custom.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"dec_1"', '"dec_1'));
  out.isUp = true;
  const second = audit(options);
  expect(await second.audit.close()).toMatchObject({ written: 2, spilled: 0, lost: 1 });
  expect(out.taken).toEqual(['dec_0', 'dec_2']);
});

test('limits the size of a spill file', async () => {
  const out = output();
  out.isUp = false;
  const bounds = { maxRecords: 1, maxSpillBytes: 10_000, spillFolder: temporaryFolder() };
  const { audit: opened, record } = audit({ outputs: [out.target], ...bounds });
  for (let at = 0; at < 50; at += 1) {
    record(at, at + 1);
    await sleep(0);
  }
  const { waiting, spilled, lost } = opened.counts();
  expect(waiting + spilled).toBeLessThan(20);
  expect(waiting + spilled + lost).toBe(50);
  await opened.close({ timeoutMs: 1 });
});

test('a spill folder belongs to one audit at a time', async () => {
  const spillFolder = temporaryFolder();
  const { audit: opened } = audit({ outputs: [output().target], spillFolder });
  expect(() => audit({ outputs: [output().target], spillFolder })).toThrow(/in use/);
  await opened.close();
  const { audit: again } = audit({ outputs: [output().target], spillFolder });
  await again.close();
});

test('records that an output finally refuses are lost, and the others are written', async () => {
  const taken: string[] = [];
  const refusing = {
    name: 'picky',
    async write(records: readonly AuditRecord[]) {
      const good = records.map(idOf).filter((id) => id !== 'dec_1');
      taken.push(...good);
      if (good.length < records.length) throw new RecordsRefused(records.length - good.length, 'no dec_1');
    },
  };
  const { audit: opened, record, codes } = audit({ outputs: [refusing] });
  record(0, 3);
  expect(await opened.close()).toEqual({ written: 2, waiting: 0, spilled: 0, lost: 1 });
  expect(codes()).toEqual(['AUDIT_RECORDS_REFUSED', 'AUDIT_RECORDS_LOST']);
  expect(taken).toEqual(['dec_0', 'dec_2']);
});

test('an output that never answers does not block flush and close', async () => {
  const hanging = () => new Promise(() => {});
  const { audit: opened, record } = audit({ outputs: [hanging], spillFolder: temporaryFolder() });
  record(0, 3);
  expect(await opened.flush({ timeoutMs: 10 })).toMatchObject({ waiting: 3 });
  expect(await opened.close({ timeoutMs: 10 })).toMatchObject({ written: 0, waiting: 0, spilled: 3 });
});

test('writes lines of JSON to a file that only its owner may read', async () => {
  const path = join(temporaryFolder(), 'audit.jsonl');
  const { audit: opened, record } = audit({ outputs: [fileOutput(path)] });
  record(0, 3);
  await opened.flush();
  record(3, 5);
  await opened.close();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => idOf(JSON.parse(line)))).toEqual(ids(0, 5));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a process that exits without closing the audit leaves its records in the spill file, in order', async () => {
  const spillFolder = temporaryFolder();
  const child = fork(new URL('./exits.fixture.ts', import.meta.url), [spillFolder], { silent: true });
  await new Promise((resolve) => child.once('exit', resolve));
  const out = output();
  const { audit: opened } = audit({ outputs: [out.target], spillFolder });
  expect(await opened.close()).toEqual({ written: 30, waiting: 0, spilled: 0, lost: 0 });
  expect(out.taken).toEqual(ids(0, 30));
});
