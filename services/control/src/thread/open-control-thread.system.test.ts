import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { type FollowedControl, followControl } from '@mandate/control-log';
import { NO_PRIVACY } from '@mandate/privacy';
import { silentLogger } from '@mandate/runtime';
import { controlRecord } from '@mandate/schemas';
import type { HttpRequest } from '@mandate/server';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openControlThread, type ThreadBounds } from './open-control-thread.ts';

const REDACTION = { hash: [], document: NO_PRIVACY };

const log = silentLogger();

async function open(bounds: Partial<ThreadBounds> = {}) {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  const control = await followControl({ bus, log });
  onTestFinished(() => control.stop());
  const { revision } = control;
  const thread = openControlThread({ bus, log, revision, bounds });
  onTestFinished(() => thread.stop());
  return { bus, control, thread };
}

let changes = 0;
function put(control: FollowedControl, tenant: string, rule: object) {
  changes += 1;
  const change = { id: `chg-${changes}`, tenant, by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
  return control.change(
    controlRecord.parse({ event: 'rule.put', change, rule: { version: 1, id: 'r', policy: 'p', ...rule } }),
  );
}

/** Returns a request that contains only what identifies the caller. */
function requestOf(tenant: string, signal = new AbortController().signal): HttpRequest {
  return { principalKey: { tenant, id: `key of ${tenant}` }, signal } as unknown as HttpRequest;
}

const lint = (tenant: string) => ({ kind: 'lint' as const, tenant, atMs: 0, fileKeys: [] });
/** Returns a preview job with so many errors that it takes a while. */
const long = (tenant: string) => {
  const rules = Array.from({ length: 20_000 }, (_, n) => ({ id: `r${n}`, colour: n }));
  const body = new TextEncoder().encode(JSON.stringify({ agentId: 'a', context: {}, rules }));
  return { kind: 'preview' as const, tenant, atMs: 0, body, query: {}, redaction: REDACTION };
};

async function codesIn(answer: Promise<string>): Promise<string[]> {
  const { findings } = JSON.parse(await answer) as { findings: { code: string }[] };
  return findings.map(({ code }) => code);
}

test('a job sees the latest change that its process has read, even if the thread started before that change', async () => {
  const { control, thread } = await open();
  expect(await codesIn(thread.answer(requestOf('acme'), lint('acme')))).toEqual([]);
  for (let n = 0; n < 20; n++) {
    await put(control, 'acme', { id: `r${n}` });
    const codes = await codesIn(thread.answer(requestOf('acme'), lint('acme')));
    expect(codes.filter((code) => code === 'POLICY_MISSING')).toHaveLength(n + 1);
  }
  expect(await codesIn(thread.answer(requestOf('globex'), lint('globex')))).toEqual([]);
});

test('a job refuses a request in the same way as an HTTP route does', async () => {
  const { thread } = await open();
  const preview = (text: string) =>
    thread.answer(requestOf('acme'), {
      ...{ kind: 'preview' as const, tenant: 'acme', atMs: 0, query: {}, redaction: REDACTION },
      body: new TextEncoder().encode(text),
    });
  await expect(preview('{"a":1,"a":2}')).rejects.toMatchObject({ status: 400, code: 'INVALID_JSON' });
  await expect(preview('{"colour":1}')).rejects.toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  await expect(preview('{"agentId":"nobody"}')).rejects.toMatchObject({
    status: 404,
    code: 'AGENT_NOT_FOUND',
  });
});

test('limits the waiting jobs of each tenant and of all tenants, and next serves the tenant that has used the least time', async () => {
  const { thread } = await open({ waiting: 6, waitingOfTenant: 3 });
  const done: string[] = [];
  const ask = (tenant: string, job: Parameters<typeof thread.answer>[1]) =>
    thread.answer(requestOf(tenant), job).then(
      () => done.push(tenant),
      (error) => done.push(`${tenant} ${error.code}`),
    );
  const many = Array.from({ length: 6 }, () => ask('many', long('many')));
  const few = ask('few', lint('few'));
  await Promise.all([...many, few]);
  // The tenant "many" sends six jobs: one job runs, three jobs wait, and two are refused.
  expect(done.filter((what) => what === 'many OVERLOADED')).toHaveLength(2);
  expect(done.indexOf('few')).toBeLessThan(done.lastIndexOf('many VALIDATION_FAILED'));
});

test('gives up a job that takes too long, and does the next job', async () => {
  const { control, thread } = await open({ runMs: 1 });
  await put(control, 'acme', {});
  await expect(thread.answer(requestOf('acme'), long('acme'))).rejects.toMatchObject({
    status: 422,
    code: 'TAKES_TOO_LONG',
  });
  expect(await thread.answerIfPossible(requestOf('acme'), long('acme'))).toBe(null);
  const { thread: patient } = await open();
  expect(await codesIn(patient.answer(requestOf('acme'), lint('acme')))).toEqual([]);
});

test('ends a thread that was idle for a while, and starts another one when it is needed', async () => {
  const { control, thread } = await open({ idleMs: 1 });
  await put(control, 'acme', {});
  for (let n = 0; n < 3; n++)
    expect(await codesIn(thread.answer(requestOf('acme'), lint('acme')))).toContain('POLICY_MISSING');
});

test('drops the job of a caller that disconnects, and refuses every caller after the thread is stopped', async () => {
  const { thread } = await open();
  const gone = new AbortController();
  const first = thread.answer(requestOf('acme'), lint('acme'));
  const second = thread.answer(requestOf('acme', gone.signal), lint('acme'));
  gone.abort();
  await expect(second).rejects.toMatchObject({ code: 'OVERLOADED' });
  await first;
  await thread.stop();
  await expect(thread.answer(requestOf('acme'), lint('acme'))).rejects.toMatchObject({ code: 'OVERLOADED' });
});

test('a job fails if the log cannot be read, and the next job reads the log again', async () => {
  const { bus } = await open();
  let isAway = true;
  const failing: Bus = {
    ...bus,
    read: (options) => (isAway ? Promise.reject(new Error('away')) : bus.read(options)),
  };
  const thread = openControlThread({ bus: failing, log, revision: () => 0 });
  onTestFinished(() => thread.stop());
  await expect(thread.answer(requestOf('acme'), lint('acme'))).rejects.toMatchObject({ status: 503 });
  isAway = false;
  expect(await codesIn(thread.answer(requestOf('acme'), lint('acme')))).toEqual([]);
});

test('a job with an unexpected error affects no other job, even if it waited for the log', async () => {
  const { bus, control } = await open();
  const warned: string[] = [];
  const warn = (_about: unknown, message: string) => void warned.push(message);
  let revision = 0;
  const recording = Object.assign(Object.create(log), { warn });
  const thread = openControlThread({ bus, log: recording, revision: () => revision });
  onTestFinished(() => thread.stop());
  expect(await codesIn(thread.answer(requestOf('acme'), lint('acme')))).toEqual([]);
  // The thread receives the record for this revision only after the job has arrived.
  revision = 1;
  const action = { id: 'x', agentId: 'a', type: 'tool_call', tool: 't' };
  const body = new TextEncoder().encode(JSON.stringify({ action }));
  const broken = { ...long('acme'), body, redaction: null as never };
  const refused = expect(thread.answer(requestOf('acme'), broken)).rejects.toMatchObject({ status: 503 });
  await put(control, 'acme', {});
  await refused;
  expect(await codesIn(thread.answer(requestOf('acme'), lint('acme')))).toContain('POLICY_MISSING');
  expect(warned).toEqual([]);
});
