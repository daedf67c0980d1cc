/** Follows docs/agent-manifests.md as a reader would: with its files and its commands, and a model server. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type PlaneProcess, startPlane } from '@mandate/testing';
import { type ModelScript, type ModelServer, startModelServer } from '@mandate/testing/model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, commandsAbout, fileOf, ROOT, readerOf } from './agent-manifest-page.ts';

type Asked = { body: { messages: readonly { role: string; content: unknown }[] } };

const usage = { inputTokens: 200, outputTokens: 20 };

/** The reader looks into the folder, and the editor writes what was found. */
const NOTES = ({ body: { messages } }: Asked) => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const isEditor = JSON.stringify(messages).includes('Write a short summary');
  const call = isEditor
    ? { name: 'write_file', args: { path: 'summary.txt', content: 'Tea is a drink.' } }
    : { name: 'list_directory', args: { path: '.' } };
  return turn === 0
    ? { toolCalls: [call], usage }
    : { text: isEditor ? 'I wrote that tea is a drink.' : 'One note is about tea.', usage };
};

/** The judge likes the second letter, which the writer writes once it knows the critique. */
const LETTERS = ({ body: { messages } }: Asked) => {
  const asked = JSON.stringify(messages);
  const said = (value: object) => ({ text: JSON.stringify(value), usage });
  if (asked.includes('Judge the letter.'))
    return said({ score: asked.includes('Sorry.') ? 0.9 : 0.5, feedback: 'Say that you are sorry.' });
  return said({ letter: asked.includes('Say that you are sorry.') ? 'Sorry.' : 'It was good tea.' });
};

const folder = mkdtempSync(join(tmpdir(), 'mandate-guide-'));
const { mandate, approve, question } = readerOf(
  folder,
  ...['notes.yaml', 'gate.yaml', 'steps.yaml', 'desk.yaml', 'letter.yaml'],
);
let models: ModelServer;
let plane: PlaneProcess;
let env: Record<string, string>;

/** Starts a plane with the runner of the page. The model server stands in for the provider. */
beforeAll(async () => {
  models = await startModelServer(((asked: Asked) =>
    (JSON.stringify(asked.body).includes('letter') ? LETTERS : NOTES)(asked)) as unknown as ModelScript);
  mkdirSync(join(folder, 'notes'));
  // The package is installed already.
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
  plane = await startPlane({
    data: join(folder, '.mandate'),
    args: ['--runner', join(folder, 'runner.yaml')],
    env: { OPENAI_API_KEY: 'sk-test' },
  });
  env = { MANDATE_URL: plane.url, MANDATE_API_KEY: plane.keys.operator ?? '' };
});
afterAll(async () => {
  await plane?.kill();
  await models?.close();
  rmSync(folder, { recursive: true });
});

test('the page leads from an empty folder to a run that a person approved', async () => {
  writeFileSync(join(folder, 'notes/tea.txt'), 'Tea is a drink.');
  for (const line of commandsAbout('notes.yaml'))
    expect(await mandate(line), line).toMatchObject({ exitCode: 0 });
  const gated = () => mandate('npx mandate manifest check notes.yaml --gate gate.yaml');
  expect(await gated()).toMatchObject({ exitCode: 0 });
  writeFileSync(join(folder, 'gate.yaml'), fileOf('gate.yaml').replace('"files", ', ''));
  const { exitCode, stderr, stdout } = await gated();
  expect([exitCode, stderr + stdout]).toEqual([3, expect.stringContaining('the host "files"')]);

  expect(await mandate(command('npx mandate manifest publish notes'), env)).toMatchObject({ exitCode: 0 });
  const run = await mandate(command('npx mandate run notes --inputs'), env);
  expect([run.exitCode, run.stderr]).toEqual([3, '']);
  await question('write_file', env);
  const resumed = await approve(run, env);
  expect(resumed).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('{"answer":"I wrote that tea is a drink."}'),
  });
  expect(readFileSync(join(folder, 'notes/summary.txt'), 'utf8')).toBe('Tea is a drink.');
  expect((await mandate(`npx mandate runs show ${resumed.id}`, env)).stdout).toContain('completed');
});

test('the steps of the page can be played', async () => {
  for (const line of commandsAbout('steps.yaml')) {
    const played = await mandate(line);
    expect(played, line).toMatchObject({ exitCode: 0 });
    expect(played.stdout).toContain('count');
  }
});

test('the graph of the page refines a letter until it is good, and a person approves it', async () => {
  for (const line of commandsAbout('letter.yaml')) {
    const played = await mandate(line);
    expect(played, line).toMatchObject({ exitCode: 0 });
    if (line.includes('--mock')) expect(played.stdout).toContain('write visit 2');
  }
  for (const name of ['desk', 'letter'])
    expect(await mandate(command(`npx mandate manifest publish ${name}`), env)).toMatchObject({
      exitCode: 0,
    });
  const run = await mandate(command('npx mandate run letter --inputs'), env);
  expect([run.exitCode, run.stderr]).toEqual([3, '']);
  expect(run.stdout).toContain('write visit 2');
  expect(await approve(run, env)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('{"letter":"Sorry."}'),
  });
});
