/** Follows docs/agent-manifests.md as a reader would: with its files and its commands, and a model server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startPlane, temporaryFolder } from '@mandate/testing';
import { type ModelScript, startModelServer } from '@mandate/testing/model-server';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/agent-manifests.md'), 'utf8');

/** Returns the file that the page shows under this name. */
function fileOf(name: string): string {
  const [, text] =
    new RegExp(`^\`\`\`yaml\n(# ${name.replace('.', '\\.')}\n.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  if (text === undefined) throw new Error(`the page shows no ${name}`);
  return text;
}

function commandsOf(language: 'sh' | ''): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(npx mandate .*?)^\`\`\`$`, 'gms'))].flatMap(
    ([, block = '']) => block.trim().split('\n'),
  );
}

type Asked = { body: { messages: readonly { role: string; content: unknown }[] } };

/** The reader looks into the folder, and the editor writes what was found. */
const ANSWERS = (({ body: { messages } }: Asked) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const usage = { inputTokens: 200, outputTokens: 20 };
  const isEditor = JSON.stringify(messages).includes('Write a short summary');
  const call = isEditor
    ? { name: 'write_file', args: { path: 'summary.txt', content: 'Tea is a drink.' } }
    : { name: 'list_directory', args: { path: '.' } };
  return turn === 0
    ? { toolCalls: [call], usage }
    : { text: isEditor ? 'I wrote that tea is a drink.' : 'One note is about tea.', usage };
}) as unknown as ModelScript;

test('the page leads from an empty folder to a run that a person approved', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes/tea.txt'), 'Tea is a drink.');
  writeFileSync(join(folder, 'notes.yaml'), fileOf('notes.yaml'));
  writeFileSync(join(folder, 'gate.yaml'), fileOf('gate.yaml'));
  const models = await startModelServer(ANSWERS);
  onTestFinished(() => models.close());
  // The package is installed already, and the model server stands in for the provider.
  const server = createRequire(join(ROOT, 'packages/demo/package.json')).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  );
  const runner = fileOf('runner.yaml')
    .replace('command: npx', `command: "${process.execPath}"`)
    .replace(
      '"-y", "@modelcontextprotocol/server-filesystem", "notes"',
      `"${join(dirname(server), 'dist/index.js')}", "${join(folder, 'notes')}"`,
    )
    .replace('protocol: openai,', `protocol: openai, baseUrl: "${models.openaiUrl}",`);
  writeFileSync(join(folder, 'runner.yaml'), runner);

  // The model server is in this process, so no command may block it.
  const mandate = async (line: string, env: Readonly<Record<string, string>> = {}) => {
    const npx = `npx() { shift; exec "$NODE" "${join(ROOT, 'packages/cli/src/main.ts')}" "$@"; }`;
    const child = spawn('bash', ['--norc', '-c', `${npx}; ${line}`], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      env: { PATH: process.env.PATH, NODE: process.execPath, ...env },
    });
    const exited = once(child, 'close');
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { status, stdout, stderr };
  };
  for (const line of commandsOf('sh')) expect(await mandate(line), line).toMatchObject({ status: 0 });
  const gated = await mandate('npx mandate manifest check notes.yaml --gate gate.yaml');
  expect([gated.status, gated.stderr + gated.stdout]).toEqual([
    3,
    expect.stringContaining('domain_restriction'),
  ]);

  const plane = await startPlane({
    data: join(folder, '.mandate'),
    args: ['--runner', join(folder, 'runner.yaml')],
    env: { OPENAI_API_KEY: 'sk-test' },
  });
  onTestFinished(async () => {
    await plane.kill();
  });
  const env = { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.operator ?? '' };
  const written = commandsOf('');
  const command = (start: string) =>
    written.find((line) => line.startsWith(start)) ?? `no ${start} on the page`;
  expect(await mandate(command('npx mandate manifest publish'), env)).toMatchObject({ status: 0 });
  const run = await mandate(command('npx mandate run notes --inputs'), env);
  expect([run.status, run.stderr]).toEqual([3, '']);
  const [, approval = ''] = /approvals approve (apv_\S+)/.exec(run.stdout) ?? [];
  const [id = ''] = /run_\S+/.exec(run.stdout) ?? [];
  expect((await mandate(command('npx mandate approvals list'), env)).stdout).toContain('write_file');
  const approve = command('npx mandate approvals approve').replace('apv_…', approval);
  expect(await mandate(approve, env)).toMatchObject({ status: 0 });
  const resumed = await mandate(command('npx mandate runs resume').replace('run_…', id), env);
  expect(resumed).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('{"answer":"I wrote that tea is a drink."}'),
  });
  expect(readFileSync(join(folder, 'notes/summary.txt'), 'utf8')).toBe('Tea is a drink.');
  expect((await mandate(`npx mandate runs show ${id}`, env)).stdout).toContain('completed');
});
