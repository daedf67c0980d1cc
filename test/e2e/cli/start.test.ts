/** Runs docs/start.md with curl, as a reader would. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlane, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/start.md'), 'utf8');
const FILES = [...GUIDE.matchAll(/^```yaml\n# (policies\/[a-z]+\.yaml)[^\n]*\n(.*?)^```$/gms)];
const COMMANDS = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** Runs every command in one shell, as a reader does. Returns the answers in order. */
function follow(env: Readonly<Record<string, string>>): unknown[] {
  const script = COMMANDS.map((block) => `${block}\nprintf '\\036'`).join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout
    .split('\u001e')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text));
}

test('the guide leads from an empty folder to a governed agent', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'policies'));
  for (const [, path = '', text = ''] of FILES) writeFileSync(join(folder, path), text);
  const plane = await startPlane({
    data: join(folder, 'data'),
    args: ['--policies', join(folder, 'policies')],
  });
  onTestFinished(async () => {
    await plane.kill();
  });

  const answers = follow({ MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.operator ?? '' });
  expect(answers).toMatchObject([
    {
      decision: { verdict: 'ALLOW', chargedMicros: 10_000, mandate: { policies: ['research@1', 'team@1'] } },
    },
    { settlement: { code: 'SETTLED', chargedMicros: 10_000 } },
    { decision: { verdict: 'BLOCK', code: 'TOOL_NOT_ALLOWED' } },
    { commandId: expect.stringMatching(/^apr_/) },
    { decision: { verdict: 'ALLOW', tool: 'send_mail' } },
    { openCount: 1, open: [{ actionId: 'act_3' }] },
  ]);
});
