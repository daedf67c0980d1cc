/** Runs the examples of docs/context.md, as a reader would. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadPrivacy } from '@mandate/privacy';
import { startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { startModelServer } from '@mandate/testing/model-server';
import { expect, onTestFinished, test } from 'vitest';
import { runMandate } from './run-mandate.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/context.md'), 'utf8');

function blockOf(language: string, contains: string): string {
  const blocks = [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
  const found = blocks.find((block) => block.includes(contains));
  if (found === undefined) throw new Error(`docs/context.md has no ${language} with ${contains}`);
  return found;
}

const PICKED = {
  focus: 'Who Ann is',
  question_type: 'relationship_identity',
  context_early: ["Ann is the user's sister"],
  context_reinforce: ['Ann lives in Graz'],
  answer_guidance: [],
};

test('the mandate of the page is the file that ships', () => {
  const shipped = readFileSync(join(ROOT, 'packages/context/context-builder.mandate.yaml'), 'utf8');
  expect(shipped.replaceAll(/^#.*\n/gm, '')).toBe(blockOf('yaml', 'id: context-builder'));
});

test('the privacy document of the page is valid', () => {
  const read = loadPrivacy(Buffer.from(blockOf('yaml', 'contextRetention')));
  expect(read).toMatchObject({ ok: true, privacy: { contextRetention: { acme: { keepDays: 7 } } } });
});

test('the program of the page picks the context under a plane, and its record can be queried', async () => {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, blockOf('yaml', 'id: context-builder'));
  const plane = await startPlane({ data, mandates });
  const server = await startModelServer({ text: JSON.stringify(PICKED) });
  // The packages of this repository can be imported only below it.
  const program = join(import.meta.dirname, `context-guide.${process.pid}.ts`);
  onTestFinished(async () => {
    rmSync(program, { force: true });
    await server.close();
    await plane.kill();
  });
  writeFileSync(program, blockOf('ts', 'runManifestBuilder'));
  const env = { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.agent ?? plane.keys.operator ?? '' };
  const child = spawn(process.execPath, [program], {
    env: {
      ...{ PATH: process.env.PATH, ...env, MANDATE_MODE: 'plane' },
      ...{ ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url },
    },
  });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  const [exitCode] = await once(child, 'close');
  expect([exitCode, await stderr]).toEqual([0, '']);
  expect(await stdout).toContain("- Ann is the user's sister");
  expect(await stdout).toContain('- Ann lives in Graz');
  expect(server.requests).toHaveLength(1);
  const asked = { env: { ...env, MANDATE_API_KEY: plane.keys.operator ?? '' } };
  const shown = await waitUntil('the record', async () => {
    const { stdout: printed } = await runMandate(['query', 'context', '--from', '1d', '--json'], asked);
    return printed !== '' && printed;
  });
  expect(JSON.parse(shown)).toMatchObject({ questionType: 'relationship_identity', error: null });
});
