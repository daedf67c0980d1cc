/** Runs the commands and the requests of docs/manifest.md and docs/memory.md, as a reader would. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPlane, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const MANIFESTS = page('manifest');
const MEMORY = page('memory');
const CONFIG = /^```yaml\n# tutor\/(config\.yaml)\n(.*?)^```$/ms.exec(MEMORY);

function page(name: string): string {
  return readFileSync(join(ROOT, 'docs', `${name}.md`), 'utf8');
}

/** The blocks of the page in this language that stand before the heading. */
function blocksOf(text: string, language: string, before: string): string[] {
  const [part = ''] = text.split(`\n## ${before}\n`);
  return [...part.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
}

/** Runs the commands in one shell. `npx` runs the command of this repository. Returns what each block prints. */
function follow(folder: string, blocks: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const npx = `npx() { shift; "$NODE" "${join(ROOT, 'packages/cli/src/main.ts')}" "$@"; }`;
  const script = [npx, ...blocks.map((block) => `${block}\nprintf '\\036'`)].join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE: process.execPath, ...env },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\u001e').map((text) => text.trim());
}

test('the pages about manifests and memory lead from an empty folder to a governed tutor', async () => {
  const folder = temporaryFolder();
  const commands = blocksOf(MANIFESTS, 'sh', 'What an action is');
  const offline = commands.filter((block) => block.startsWith('npx '));
  const requests = commands.filter((block) => !block.startsWith('npx '));
  const printed = follow(folder, offline).join('\n');
  expect(printed).toContain('wrote tutor/manifest.test.yaml\n');
  expect(printed).toContain('\n0 errors, 0 warnings\n');
  expect(printed).toMatch(/\n(\d) cases: \1 passed$/m);

  const [, name = '', text = ''] = CONFIG ?? [];
  writeFileSync(join(folder, 'tutor', name), text);
  const plane = await startPlane({
    data: join(folder, 'data'),
    args: ['--policies', join(folder, 'tutor')],
  });
  onTestFinished(async () => {
    await plane.kill();
  });

  const aboutMemory = blocksOf(MEMORY, 'sh', 'Ways around, and why they are closed');
  const blocks = [...requests, ...aboutMemory].map((block) =>
    block.replaceAll('http://127.0.0.1:7420', plane.url),
  );
  const [, ...answers] = follow(folder, blocks, { KEY: plane.keys.publisher ?? '' });
  const [prompt, call, refused, outcome, created, deleted] = answers
    .filter((answer) => answer !== '')
    .map((answer) => JSON.parse(answer));
  const [obligations = ''] = blocksOf(MANIFESTS, 'json', 'What an action is');
  expect(prompt.decision).toMatchObject({ verdict: 'ALLOW', obligations: JSON.parse(obligations) });
  expect(call.decision).toMatchObject({ verdict: 'ALLOW', obligations: { arguments: { count: 5 } } });
  expect(refused.decision).toMatchObject({ verdict: 'BLOCK', code: 'ROLE_NOT_ALLOWED' });
  expect(outcome.settlement).toMatchObject({ code: 'SETTLED' });

  const mia = '--agent tutor --principal mia --role user';
  const published = follow(
    folder,
    [
      `npx mandate publish ${mia} --id p2 --prompt 'some flashcards about art'`,
      `npx mandate publish ${mia} --turn p2 --tool create_cards --args '{"topic": "art"}'`,
      `npx mandate publish ${mia} --turn p2 --action '{"type": "memory_read", "id": "r2"}'`,
    ],
    { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.publisher ?? '' },
  );
  expect(published).toEqual([
    expect.stringMatching(/ ALLOW .*\n {2}intent: create_flashcards, by keyword; topic "art"/),
    expect.stringMatching(/ ALLOW .* create_cards .*\n {2}arguments: .*count/),
    expect.stringMatching(/ ALLOW .*\n {2}stores: .*episodic/),
    '',
  ]);

  const [shown = ''] = blocksOf(MEMORY, 'json', 'Ways around, and why they are closed');
  const { notes } = JSON.parse(shown);
  const { expiresAt } = created.decision.obligations;
  expect(created.decision).toMatchObject({ verdict: 'ALLOW', notes: [{ ...notes[0], given: expiresAt }] });
  expect(deleted.decision).toMatchObject({ verdict: 'BLOCK', code: 'OPERATION_NOT_PERMITTED' });
});
