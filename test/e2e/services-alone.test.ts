/** Runs each service in its own process, all on one data folder. (`mandate up` runs the services in one process.) */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus, type LogRecord } from '@mandate/bus';
import { serviceOf } from '@mandate/client';
import { dataFolder, silentLogger } from '@mandate/runtime';
import {
  type AuditRead,
  agentKey,
  ROUTE_RECORDS,
  readAccessRecord,
  readDecisionsRecord,
  TOPICS,
} from '@mandate/schemas';
import { fileKeyStore, issueRoleKey } from '@mandate/server';
import {
  areaOf,
  byLength,
  REQUIRED_SETTINGS,
  SERVICES,
  serviceEnvironment,
  spawnService,
  startOtlpReceiver,
  startService,
  temporaryFolder,
  traceTree,
  WHOLE_WAY,
  waitUntil,
} from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runMandate } from './cli/run-mandate.ts';
import { type OpenApi, operationsOf } from './interface/described.ts';

const ROOT = join(import.meta.dirname, '../..');
const CONSOLE = 'https://console.example.com';

/**
 * Makes a data folder that contains only mandates. A test then makes a key with the `mandate` command, as an operator
 * would.
 */
function newFolder() {
  const folder = dataFolder(temporaryFolder());
  writeFileSync(
    folder.mandates,
    'version: 1\nid: all\nagents: ["*"]\ntoolPolicies: { look: { cost: 0.01 } }\n',
  );
  return folder;
}

async function issueKey(data: string): Promise<string> {
  const scopes = ['publish', 'audit', 'operate'];
  const grant = ['--name', 'ops', '--agents', '*', '--scopes', ...scopes];
  const { stdout } = await runMandate(['keys', 'issue', '--data', data, '--json', ...grant]);
  return JSON.parse(stdout).key;
}

async function call(key: string, method: string, url: string, body?: object) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

test('the services, each on a new folder, describe exactly the routes in the table ROUTE_RECORDS, clients know which service has which route, and each service exits with 0 when it is stopped', async () => {
  const described = new Set<string>();
  const misplaced: string[] = [];
  await Promise.all(
    SERVICES.map(async (service) => {
      const path = join(temporaryFolder(), 'data');
      if (service === 'decider') {
        await expect(startService(service, { DATA_PATH: path })).rejects.toThrow('MANDATES_INVALID');
        writeFileSync(dataFolder(path).mandates, 'version: 1\nid: all\nagents: ["*"]\n');
      }
      const { url, kill } = await startService(service, { DATA_PATH: path });
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
      expect([service, await kill('SIGTERM')]).toEqual([service, 0]);
      for (const { method, path } of operationsOf({ paths })) {
        described.add(`${method} ${path}`);
        const isShared = service === 'console' || !path.startsWith('/v1/');
        if (!isShared && serviceOf(path) !== service) misplaced.push(`${method} ${path} is at ${service}`);
      }
    }),
  );
  const listed = ROUTE_RECORDS.flatMap(({ routes }) => routes);
  expect([...described].sort()).toEqual(listed.toSorted());
  expect(misplaced).toEqual([]);
});

test('an action passes through four processes, which publish, decide, record and find it', async () => {
  const folder = newFolder();
  const receiver = await startOtlpReceiver();
  const data = { DATA_PATH: folder.path, MANDATE_OTLP_URL: receiver.url };
  const key = await issueKey(folder.path);
  const reached = { ...data, CORS_ORIGINS: CONSOLE, REQUESTS_PER_KEY_PER_SECOND: '500' };
  const gateway = await startService('gateway', reached);
  const [decider, recorder] = await Promise.all([
    startService('decider', data),
    startService('recorder', data),
  ]);

  const action = { id: 'act-1', agentId: 'bot', type: 'tool_call', tool: 'look' };
  const published = await call(key, 'POST', `${gateway.url}/v1/actions?waitMs=20000`, action);
  expect(published).toMatchObject({
    status: 200,
    body: { actionId: 'act-1', decision: { verdict: 'ALLOW', chargedMicros: 10_000 } },
  });

  const killed = await call(key, 'POST', `${gateway.url}/v1/agents/bot/kill`, {});
  expect(killed).toMatchObject({
    status: 503,
    body: { code: 'LEDGER_UNAVAILABLE', remedy: expect.stringContaining('mandate up') },
  });

  for (const { url } of [gateway, decider, recorder]) {
    expect(await call(key, 'GET', `${url}/readyz`)).toMatchObject({ status: 200, body: { status: 'ready' } });
  }
  await expect(startService('query', data)).rejects.toThrow('AUDIT_LOCKED');
  await waitUntil('a row in the audit', async () =>
    /mandate_recorder_rows_total\{[^}]*table="decisions"[^}]*\} 1/.test(
      await (await fetch(`${recorder.url}/metrics`)).text(),
    ),
  );
  expect(await recorder.kill()).toBe(0);

  const query = await startService('query', reached);
  for (const { url } of [gateway, query]) {
    const { headers } = await fetch(`${url}/v1/nobody`, { headers: { origin: CONSOLE } });
    expect(headers.get('access-control-allow-origin')).toBe(CONSOLE);
  }
  for (const url of [`${gateway.url}/v1/agents/bot/kill-status`, `${query.url}/v1/audit/decisions`]) {
    const { headers } = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    expect(headers.get('ratelimit-limit')).toBe('500');
  }
  const found = await call(key, 'GET', `${query.url}/v1/audit/decisions?agent=bot`);
  expect(found).toMatchObject({
    status: 200,
    body: { decisions: [{ actionId: 'act-1', verdict: 'ALLOW' }] },
  });
  expect(await readsOn(folder.log)).toMatchObject([
    { key: { name: 'ops' }, parameters: {} },
    { key: { name: 'ops' }, route: '/v1/audit/decisions', parameters: { agent: 'bot' } },
  ]);
  expect(await Promise.all([query, decider, gateway].map((service) => service.kill()))).toEqual([0, 0, 0]);

  const request = receiver.spans.find(({ name }) => name === 'POST /v1/actions');
  const trace = receiver.spans.filter(({ traceId }) => traceId === request?.traceId);
  expect(traceTree(trace)).toEqual(WHOLE_WAY);
  expect(new Set(trace.map(({ service }) => service))).toEqual(
    new Set(['mandate-gateway', 'mandate-decider', 'mandate-recorder']),
  );
  expect(receiver.spans.map(({ service }) => service)).toContain('mandate-query');
});

test('every service accepts a key that one process issued; after its revocation, all refuse it and its open streams end; if keys cannot be read, every caller is refused', async () => {
  const folder = newFolder();
  const first = issueRoleKey({ tenant: 'default', role: 'admin', name: 'first', lastsMs: null });
  await fileKeyStore(folder.keys).add(first.record);
  const names = ['control', 'query', 'alerter'] as const;
  const services = await Promise.all(names.map((name) => startService(name, { DATA_PATH: folder.path })));
  const [control, query, alerter] = services.map(({ url }) => url);
  const keys = `${control}/v1/keys`;
  const issued = await call(first.key, 'POST', keys, { name: 'ann', role: 'operator' });
  const { id, key } = issued.body as { id: string; key: string };
  const opened = [`${control}/v1/agents`, `${query}/v1/audit/decisions`, `${alerter}/v1/alerts`];
  const answers = async () =>
    (await Promise.all(opened.map((url) => call(key, 'GET', url)))).map(({ status }) => status);
  await waitUntil('all to let it in', async () => (await answers()).every((status) => status === 200));
  const authorization = `Bearer ${key}`;
  const stream = await fetch(`${query}/v1/audit/live`, { headers: { authorization } });
  expect(stream.status).toBe(200);

  const revokedAtMs = performance.now();
  expect((await call(first.key, 'DELETE', `${keys}/${id}`)).status).toBe(200);
  await waitUntil('none to let it in', async () => (await answers()).every((status) => status === 401));
  await stream.text();
  expect(performance.now() - revokedAtMs).toBeLessThan(5_000);

  // A gateway that cannot read the key file refuses every caller.
  const bus = await createSqliteBus({ path: folder.log, log: silentLogger() });
  onTestFinished(() => bus.close());
  await bus.append(TOPICS.control, [{ key: null, partition: 0, value: '{"event":"role.of.tomorrow"}' }]);
  expect(await Promise.all(services.map(({ exited }) => exited))).toEqual([1, 1, 1]);
  for (const { errors } of services) expect(errors()).toContain('LOG_UNREADABLE');
});

/** Returns the records of reads on the log. */
async function readsOn(path: string) {
  await using held = new AsyncDisposableStack();
  const bus = await createSqliteBus({ path, log: silentLogger() });
  held.defer(() => bus.close());
  const reads: AuditRead[] = [];
  const reader = await bus.read({
    topics: [TOPICS.access],
    from: 'earliest',
    onRecords: (records) => void reads.push(...records.map(({ value }) => readAccessRecord(value).read)),
  });
  held.defer(() => reader.stop());
  await reader.caughtUp;
  return reads;
}

test('while a decider runs, no second one starts; if a decider is killed during its work, the next decider decides the rest, and nothing is decided twice', async () => {
  const folder = newFolder();
  const bus = await createSqliteBus({ path: folder.log, log: silentLogger() });
  onTestFinished(() => bus.close());
  const seen: { actionId: string; kind: string; cumulativeMicros: number }[] = [];
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords: (records: readonly LogRecord[]) => {
      for (const { value } of records) {
        const record = readDecisionsRecord(value);
        if (record.event === 'action.decided') seen.push(record.decision);
      }
    },
  });
  onTestFinished(() => reader.stop());

  const count = 2_000;
  const settings = { DATA_PATH: folder.path, BATCH_RECORDS: '20' };
  const first = await startService('decider', settings);
  await expect(startService('decider', settings)).rejects.toThrow('ALREADY_HELD');
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  const [some, rest] = [actions(count).slice(0, -100), actions(count).slice(-100)];
  const publishing = bus.append(TOPICS.actions, some);
  await waitUntil('some decisions', () => seen.length > 0);
  await first.kill('SIGKILL');
  await publishing;
  // These records are appended after the kill, so only the next decider can decide them.
  await bus.append(TOPICS.actions, rest);

  const second = await startService('decider', settings);
  await waitUntil(
    'a decision for every action',
    () => new Set(seen.map(({ actionId }) => actionId)).size === count,
  );
  expect(await second.kill()).toBe(0);
  expect(seen.filter(({ kind }) => kind !== 'first')).toEqual([]);
  expect(seen).toHaveLength(count);
  // All actions are of one agent, so the highest total must equal the charges of all actions.
  expect(Math.max(...seen.map(({ cumulativeMicros }) => cumulativeMicros))).toBe(count * 10_000);
});

/** All services start in the same way with npm and with faulty settings, so a short run tests one of them. */
const STARTED = byLength<readonly (typeof SERVICES)[number][]>({ short: ['decider'], full: SERVICES });

describe.each(STARTED)('the service %s', (service) => {
  test('starts with its npm script, which prints the settings in force', () => {
    const said = execFileSync('npm', ['--silent', 'start', '-w', `services/${service}`, '--', '--help'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const name = `MANDATE_${areaOf(service)}`;
    expect(said).toContain(`${name}_DATA_PATH`);
    expect(said).toContain(`${name}_PORT`);
  });

  test('ends at SIGTERM to the npm that started it, the only process that a supervisor knows', async () => {
    const folder = newFolder();
    const settings = { ...REQUIRED_SETTINGS[service], DATA_PATH: folder.path, PORT: '0' };
    const npm = spawn('npm', ['--silent', 'start', '-w', `services/${service}`], {
      cwd: ROOT,
      env: { ...process.env, ...serviceEnvironment(service, settings) },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    onTestFinished(() => killGroup(npm));
    let said = '';
    npm.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const url = await waitUntil('where it listens', () => /"url":"(http:[^"]+)"/.exec(said)?.[1]);
    npm.kill('SIGTERM');
    // stderr closes when the last process that writes to it ends.
    const [exitCode] = await once(npm, 'close');
    expect(exitCode).toBe(0);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
    expect(said).toContain('"msg":"stopping');
  });

  test('refuses a wrong environment, lists all faults at once, and changes nothing', async () => {
    const path = join(temporaryFolder(), 'data');
    const { exited, errors } = spawnService(service, {
      DATA_PATH: path,
      PORT: '70000',
      LOG_LEVEL: 'loud',
      PROT: '1',
    });
    expect(await exited).toBe(2);
    for (const name of ['PORT: Too big', 'LOG_LEVEL: Invalid', 'PROT: no such setting']) {
      expect(errors()).toContain(`MANDATE_${areaOf(service)}_${name}`);
    }
    expect(existsSync(path)).toBe(false);
  });
});

function killGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The error means that the process group has already ended.
  }
}

function actions(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const action = {
      id: `act-${at}`,
      agentId: 'bot',
      type: 'tool_call',
      tool: 'look',
      deadlineMs: 3_600_000,
    };
    return { key: agentKey('default', 'bot'), value: JSON.stringify({ event: 'action.requested', action }) };
  });
}
