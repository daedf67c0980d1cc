import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@mandate/client';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { answeringServer } from '../answering-server.fixture.ts';
import { runCommand } from '../run-command.fixture.ts';
import { planeNames } from './plane-names.ts';

const KEY = 'sk-mdt_secret';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mandate-names-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true });
});

/** A plane that returns these agents and counts the requests. */
function planeWith(...agents: string[]) {
  const plane = { asked: 0, agents };
  const get = async () => {
    plane.asked += 1;
    return { agents: plane.agents.map((agentId) => ({ agentId })) };
  };
  return { plane, api: { url: 'http://plane', get } as unknown as ApiClient };
}

it('asks the plane once a minute, and never shows the names of one key to another key', async () => {
  const { plane, api } = planeWith('bot-1', 'bot-2');
  let nowMs = 1_000_000;
  const names = (key: string) => planeNames('agents', api, { folder, of: ['', '', key] }, () => nowMs);
  expect(await names('a')).toEqual(['bot-1', 'bot-2']);
  plane.agents = ['bot-3'];
  nowMs += 59_999;
  expect(await names('a')).toEqual(['bot-1', 'bot-2']);
  expect(await names('b')).toEqual(['bot-3']);
  nowMs += 1;
  expect(await names('a')).toEqual(['bot-3']);
  expect(plane.asked).toBe(3);
});

it('writes a cache file that only its owner can read, and that contains no key', async () => {
  await planeNames('agents', planeWith('bot-1').api, { folder, of: ['http://plane', KEY] });
  const [file = '', ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  expect(file).toMatch(/^[0-9a-f]{32}-agents\.json$/);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  expect(file + readFileSync(join(folder, file), 'utf8')).not.toContain(KEY);
});

it('leaves out names that a shell would interpret, from the cache and from the plane', async () => {
  const { api } = planeWith('$(reboot)', '`id`', 'a;b', "o'brien", '-rf', '*', 'a b', 'team/bot-1@eu');
  const names = () => planeNames('agents', api, { folder, of: [] });
  expect(await names()).toEqual(['team/bot-1@eu']);
  const [file = ''] = readdirSync(folder);
  writeFileSync(join(folder, file), JSON.stringify({ atMs: Date.now(), names: ['$(reboot)', 'fine'] }));
  expect(await names()).toEqual(['fine']);
});

it('asks the plane again if the cache cannot be read', async () => {
  const { api } = planeWith('bot-1');
  const names = () => planeNames('agents', api, { folder, of: [] });
  await names();
  writeFileSync(join(folder, readdirSync(folder)[0] ?? ''), '{');
  expect(await names()).toEqual(['bot-1']);
});

const names = (env: Record<string, string>) =>
  runCommand(['completion', 'names', 'agents'], { env: { XDG_CACHE_HOME: folder, ...env } });
const SILENT = { exitCode: 0, stdout: '', stderr: '' };

it('prints nothing if there is no key, or if no plane answers', async () => {
  expect(await names({})).toEqual(SILENT);
  expect(await names({ MANDATE_API_KEY: KEY, MANDATE_URL: 'http://127.0.0.1:1' })).toEqual(SILENT);
});

it('gives up if the plane takes too long to answer', async () => {
  expect(await names(await answeringServer(() => {}))).toEqual(SILENT);
});
