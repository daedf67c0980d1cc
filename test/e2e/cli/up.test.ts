/** Tests how `mandate up` starts and stops. Also tests how commands that need no plane can be limited and stopped. */
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { byLength, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, it } from 'vitest';
import { runMandate, spawnCommand, startMandate } from './run-mandate.ts';

/** A plane in the process of the test logs only errors. */
const QUIET = { MANDATE_PLANE_LOG_LEVEL: 'error' };

/** Starts a plane in the process of the test. Returns what `mandate up` printed, and a function that stops the plane. */
async function upHere(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stdout = new PassThrough();
  const stopping = new AbortController();
  let said = '';
  stdout.on('data', (chunk) => {
    said += chunk;
  });
  const running = runMandate(['up', '--port', '0', ...args], {
    env: { ...QUIET, ...env },
    stdout,
    signal: stopping.signal,
  });
  await Promise.race([running, waitUntil('the greeting', () => said.includes('http://127.0.0.1:'))]);
  const stop = async () => {
    stopping.abort();
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
  };
  return { said, stop };
}

/** Returns the address of a plane, and the operator's key, from what `mandate up --json` printed. */
function operatorOf(said: string): { url: string; key: string } {
  const { url, keys } = JSON.parse(said);
  return { url, key: keys.find(({ name }: { name: string }) => name === 'operator').key };
}

it('mandate up starts on an empty folder, shows keys once, applies its files, and stops at SIGTERM', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'deep', 'data');
  const policies = join(folder, 'policies.yaml');
  writeFileSync(policies, '{ kind: policy, version: 1, id: reads }\n---\n{ kind: agent, id: bot }\n');
  const first = startMandate(['up', '--data', data, '--port', '0', '--policies', policies]);
  let said = '';
  first.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await waitUntil('the greeting', () => said.includes('mandate login --url http://127.0.0.1:'));
  expect(said).toMatch(/^Mandate is up at http:\/\/127\.0\.0\.1:\d+\n/);
  expect(said.match(/sk-mdt_/g)).toHaveLength(3);
  expect(said).toContain(`policies   ${policies} `);
  expect(said).toMatch(/publisher .* of bot\n/);
  // No starter mandate applies beside the policies.
  expect(readFileSync(join(data, 'mandates.yaml'), 'utf8')).toContain('agents: ["nobody-*"]');
  first.kill('SIGTERM');
  expect(await once(first, 'close')).toEqual([0, null]);

  const operator = /operator +(sk-mdt_\S+)/.exec(said)?.[1] ?? '';
  writeFileSync(policies, '{ kind: policy, version: 1, id: reads, allowedTools: ["read_*"] }\n');
  const second = await startPlane({ data, env: { MANDATE_PLANE_POLICIES_PATH: policies } });
  expect(second.keys).toEqual({});
  const standing = async (path: string) => {
    const answer = await fetch(new URL(path, second.url), {
      headers: { authorization: `Bearer ${operator}` },
    });
    return answer.json();
  };
  expect(await standing('/v1/policies')).toMatchObject({
    policies: [{ version: 2, revision: 3, policy: { id: 'reads', allowedTools: ['read_*'] } }],
  });
  expect(await standing('/v1/agents')).toMatchObject({ agents: [{ revision: 1, agent: { id: 'bot' } }] });
  expect(await second.kill('SIGINT')).toBe(0);
});

it('mandate up says what prevents its start, and what to do', async () => {
  const folder = temporaryFolder();
  const plane = await upHere(['--data', join(folder, 'a'), '--json']);
  const { url, key } = operatorOf(plane.said);
  try {
    const busy = await spawnCommand(['up', '--data', join(folder, 'b'), '--port', new URL(url).port]);
    expect(busy).toMatchObject({ exitCode: 1, stdout: '' });
    expect(busy.stderr).toMatch(
      /^mandate: cannot listen at 127\.0\.0\.1:\d+: another process listens there\n/,
    );
    const policies = join(folder, 'policies.yaml');
    writeFileSync(policies, 'kind: agent\nid: second\n');
    const held = await spawnCommand([
      'up',
      '--data',
      join(folder, 'a'),
      '--port',
      '0',
      '--policies',
      policies,
    ]);
    expect(held).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        `mandate: the data folder ${join(folder, 'a')} is in use by another process\n` +
        '  Stop that process, send it requests over HTTP, or choose another data directory (--data).\n',
    });
    const headers = { authorization: `Bearer ${key}` };
    const agents = await fetch(`${url}/v1/agents`, { headers });
    expect([agents.status, await agents.text()]).toEqual([200, expect.not.stringContaining('second')]);
    writeFileSync(join(folder, 'file'), '');
    const noFolder = await runMandate(['up', '--data', join(folder, 'file', 'c'), '--port', '0']);
    expect(noFolder.stderr).toMatch(/^mandate: the data folder \S+ cannot be made\n {2}The cause: ENOTDIR/);
  } finally {
    await plane.stop();
  }
  chmodSync(join(folder, 'a', 'keys.json'), 0o644);
  const exposed = await runMandate(['up', '--data', join(folder, 'a'), '--port', '0'], { env: QUIET });
  expect(exposed).toMatchObject({ exitCode: 1, stdout: '' });
  expect(exposed.stderr).toContain('chmod 600');
});

it('the publisher key is for the agents of the policies and of a mandates file that the command names', async () => {
  const folder = temporaryFolder();
  const policies = join(folder, 'policies.yaml');
  const mandates = join(folder, 'mandates.yaml');
  writeFileSync(policies, '{ kind: agent, id: bot }\n');
  writeFileSync(mandates, '{ version: 1, id: m, agents: ["helper-*"], allowedTools: [read] }\n');
  const files = ['--policies', policies, '--mandates', mandates];
  const { said, stop } = await upHere(['--data', join(folder, 'data'), ...files]);
  await stop();
  expect(said).toMatch(/publisher .* of bot, helper-\*\n/);
});

it('mandate up names the faulty lines of a mandates file, and a mandates file that does not exist', async () => {
  const folder = temporaryFolder();
  const mandates = join(folder, 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: m\nagents: ["*"]\nmaxCostTotal: -1\nallowed: []\n');
  const bad = await runMandate(['up', '--data', join(folder, 'd'), '--port', '0', '--mandates', mandates]);
  expect(bad).toMatchObject({ exitCode: 2, stdout: '' });
  expect(bad.stderr).toContain(`\n${mandates}:4:1 maxCostTotal: `);
  expect(bad.stderr).toContain(`\n${mandates}:5:1 `);
  const asPolicies = await runMandate(['up', '--data', join(folder, 'd'), '--policies', mandates]);
  expect(asPolicies).toMatchObject({ exitCode: 2, stdout: '' });
  expect(asPolicies.stderr).toContain(`\n${mandates}:1:1 kind: `);
  const missing = await runMandate(['up', '--data', join(folder, 'd'), '--mandates', join(folder, 'nope')]);
  expect(missing).toMatchObject({ exitCode: 2, stdout: '' });
});

it('on a platform without an embedded ClickHouse, mandate up says that a ClickHouse server can be used instead', async () => {
  const { arch } = process;
  Object.defineProperty(process, 'arch', { value: 'riscv64' });
  try {
    const started = await runMandate(['up', '--data', join(temporaryFolder(), 'data'), '--port', '0']);
    expect(started.exitCode).toBe(1);
    expect(started.stderr).toMatch(/^mandate: The ClickHouse engine .* is not installed for \w+ riscv64\./m);
    expect(started.stderr).toContain('MANDATE_CLICKHOUSE_URL');
  } finally {
    Object.defineProperty(process, 'arch', { value: arch });
  }
});

it('mandate up reads its limits from the environment, and refuses invalid limits', async () => {
  const data = join(temporaryFolder(), 'data');
  const bad = {
    MANDATE_GATEWAY_MAX_WAITING: '0',
    MANDATE_RECORDER_GATHER_MS: 'soon',
    MANDATE_PLANE_PORTS: '1',
  };
  const { exitCode, stderr } = await runMandate(['up', '--data', data], { env: bad });
  expect(exitCode).toBe(2);
  for (const name of Object.keys(bad)) expect(stderr).toContain(name);

  const plane = await upHere(['--data', data, '--json'], { MANDATE_GATEWAY_MAX_WAITING: '1' });
  const { url, key } = operatorOf(plane.said);
  const actions = [1, 2].map((at) => ({ id: `w${at}`, agentId: 'bot', type: 'tool_call', tool: 't' }));
  const answer = await fetch(new URL('/v1/actions?waitMs=1000', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(actions),
  });
  expect(await answer.json()).toMatchObject({ status: 503, code: 'OVERLOADED' });
  await plane.stop();
});

it('mandate eval stops at Ctrl-C, and when its output is closed', async () => {
  const mandates = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: m\nagents: ["*"]\n');
  const request = `${JSON.stringify({ event: 'action.requested', action: { id: 'a', agentId: 'b', type: 'tool_call', tool: 't' } })}\n`;

  const waiting = startMandate(['eval', '--mandates', mandates]);
  waiting.stdin.write(request);
  await once(createInterface(waiting.stdout), 'line');
  waiting.kill('SIGINT');
  expect(await once(waiting, 'close')).toEqual([130, null]);

  const unread = startMandate(['eval', '--mandates', mandates]);
  unread.stdin.on('error', () => {});
  unread.stdin.write(request.repeat(5_000));
  await once(unread.stdout, 'data');
  unread.stdout.destroy();
  expect(await once(unread, 'exit')).toEqual([0, null]);
});

const RECORDS = byLength({ short: 30_000, full: 100_000 });
/** The length of the text in each record. The records of a short run are fewer and longer, so memory is needed too. */
const TEXT_LENGTH = byLength({ short: 4_000, full: 2_000 });
/**
 * The reading has stopped if this number of checks in a row find it idle. The checks take a second, in which a
 * process that still reads would read thousands of records.
 */
const LOOKS = 50;

it(`mandate eval reads only as fast as its answers are read, and ${RECORDS} records fit in little memory`, async () => {
  const mandates = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(mandates, 'version: 1\nid: m\nagents: ["*"]\nmaxCostTotal: 0\n');
  const child = startMandate(['eval', '--mandates', mandates, '--json'], {
    NODE_OPTIONS: '--max-old-space-size=256',
  });
  let sent = 0;
  const feed = async () => {
    const args = { text: 'x'.repeat(TEXT_LENGTH) };
    for (; sent < RECORDS; sent++) {
      const action = { id: `a${sent}`, agentId: `b${sent % 100}`, type: 'tool_call', tool: 't', args };
      const line = `${JSON.stringify({ event: 'action.requested', action })}\n`;
      if (!child.stdin.write(line)) await once(child.stdin, 'drain');
    }
    child.stdin.end();
  };
  const fed = feed();
  // The test has read no answer yet. The pipe can buffer some answers, but eval must stop reading long before the
  // end.
  let [stoodAt, looks] = [0, 0];
  await waitUntil(
    'the end of its reading',
    () => {
      const isStuck = child.stdin.writableNeedDrain && child.stdout.readableLength > 0;
      looks = isStuck && sent === stoodAt ? looks + 1 : 0;
      stoodAt = sent;
      return looks === LOOKS || sent === RECORDS;
    },
    60_000,
  );
  expect(sent).toBeLessThan(20_000);

  let answers = 0;
  createInterface(child.stdout).on('line', () => answers++);
  let summary = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    summary += text;
  });
  await fed;
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(answers).toBe(RECORDS);
  expect(JSON.parse(summary)).toMatchObject({ records: RECORDS, bad: 0 });
});
