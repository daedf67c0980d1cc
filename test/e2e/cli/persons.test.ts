/**
 * Tests that a forgotten person stays forgotten. Before that, the command can read the sealed texts about the person;
 * afterwards it cannot, even if the key file is restored from a backup. The test searches the data folder byte by
 * byte for remains.
 */
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { runProgram } from '@mandate/cli';
import { type PlaneProcess, startPlane, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { jsonLines } from './run-mandate.ts';

const PRIVACY = `version: 1
fields:
  - { path: args.customer.*, do: seal, person: args.customer.id }
  - { path: principal.id, do: seal }
patterns:
  - { pattern: email, do: seal }
`;
const MANDATES = 'version: 1\nid: open\nagents: ["*"]\n';
const MIA = { id: 'mia_li_3668', name: 'Mia Li of Springfield', mail: 'mia.li@example.com' };
const BEN = { id: 'ben_ho_1024', name: 'Ben Ho of Shelbyville', mail: 'ben.ho@example.com' };

type Person = typeof MIA;
type Row = { id: string; actionId: string };
type Args = { customer: { id: string; name: string }; note: string };

const actionFor = ({ id, name, mail }: Person, actionId: string, principal = id) => ({
  id: actionId,
  agentId: 'bot',
  type: 'tool_call',
  tool: 'send',
  args: { customer: { id, name }, note: `write to ${mail}, please` },
  principal: { id: principal, role: 'user' },
});

/** Returns the contents of all files below the folder, by path. */
function bytesBelow(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  );
}

/**
 * Returns all keys from the root to a person's key, with both. They can be computed from any copy of the key file
 * that was made before the first erasure.
 */
function keysAbove(file: string, index: string): Buffer[] {
  const root = /^0 0{16} (\S+)$/m.exec(file)?.[1] ?? '';
  const keys = [Buffer.from(root, 'base64url')];
  for (const bit of BigInt(`0x${index}`).toString(2).padStart(64, '0')) {
    keys.push(
      createHmac('sha256', keys.at(-1) ?? '')
        .update(bit === '0' ? 'left' : 'right')
        .digest(),
    );
  }
  return keys;
}

async function planeOn(data: string, mandates: string): Promise<PlaneProcess> {
  // The plane logs everything, so that the test can also search the logs for remains.
  const plane = await startPlane({ data, mandates, env: { MANDATE_PLANE_LOG_LEVEL: 'trace' } });
  onTestFinished(async () => {
    await plane.kill('SIGKILL');
  });
  return plane;
}

test('sealed texts about a person are readable until the person is forgotten, and never again', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const mandates = join(folder, 'mandates.yaml');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(data, 'privacy.yaml'), PRIVACY);
  writeFileSync(mandates, MANDATES);
  let plane = await planeOn(data, mandates);
  let key = '';

  /** Runs the command in this process. @param answer the text typed at a terminal */
  async function mandate(args: readonly string[], { stdin = '', answer = '', columns = 0 } = {}) {
    const stdout = Object.assign(new PassThrough(), columns > 0 && { isTTY: true, columns });
    const stderr = new PassThrough();
    const said = Promise.all([text(stdout), text(stderr)]);
    const terminal = Object.assign(Readable.from([Buffer.from(`${answer}\n`)]), { isTTY: true });
    const exitCode = await runProgram(args, {
      stdin: answer === '' ? Readable.from([Buffer.from(stdin)]) : terminal,
      stdout,
      stderr,
      env: { MANDATE_URL: plane.url, MANDATE_API_KEY: key },
      signal: new AbortController().signal,
    });
    stdout.end();
    stderr.end();
    const [out, err] = await said;
    return { exitCode, stdout: out, stderr: err };
  }
  const publish = (action: object) =>
    mandate(['publish', '--file', '-'], { stdin: JSON.stringify({ event: 'action.requested', action }) });
  const decisions = async (...more: string[]) =>
    jsonLines<Row>((await mandate(['decisions', 'list', '--json', ...more])).stdout);
  const argsOf = async (actionId: string, ...more: string[]): Promise<Args> => {
    // A plane that has just started may refuse a read for a moment, and then shows nothing.
    const shown = await waitUntil(`the decision on ${actionId} is shown`, async () => {
      const [row] = await decisions('--action', actionId);
      const answer = await mandate(['decisions', 'show', row?.id ?? '', '--json', ...more]);
      return answer.exitCode === 0 && answer.stdout;
    });
    return JSON.parse(shown).decision.action.args;
  };
  const recorded = (count: number) =>
    waitUntil('it is in the audit', async () => (await decisions()).length === count);

  const scopes = ['publish', 'audit', 'persons'];
  const named = ['--name', 'dpo', '--agents', '*'];
  const issued = await mandate(['keys', 'issue', ...named, '--data', data, '--scopes', ...scopes]);
  key = issued.stdout.trim();
  await publish(actionFor(MIA, 'a1'));
  await publish(actionFor(MIA, 'a2', BEN.id));
  await publish(actionFor(BEN, 'a3'));
  await recorded(3);

  expect(await argsOf('a1')).toEqual({
    customer: { id: expect.stringMatching(/^sealed:v1:/), name: expect.stringMatching(/^sealed:v1:/) },
    note: expect.stringMatching(/^write to sealed:v1:\S+\., please$/),
  });
  const readable = { customer: { id: MIA.id, name: MIA.name }, note: `write to ${MIA.mail}, please` };
  expect(await argsOf('a1', '--unseal')).toEqual(readable);
  const explained = await mandate(['decisions', 'explain', 'a1', '--json', '--unseal']);
  expect([explained.exitCode, explained.stdout.includes(MIA.name)]).toEqual([0, true]);

  const found = jsonLines<{ ref: string; pseudonym: string }>(
    (await mandate(['persons', 'find', '-', '--json'], { stdin: `${MIA.id}\n` })).stdout,
  )[0] ?? { ref: '', pseudonym: '' };
  const actionsIn = (rows: readonly Row[]) => rows.map(({ actionId }) => actionId).sort();
  expect(actionsIn(await decisions('--text', found.ref))).toEqual(['a1', 'a2']);
  expect(actionsIn(await decisions('--principal', found.pseudonym))).toEqual(['a1']);

  const reads = await waitUntil('who read of whom is in the audit', async () => {
    const asked = ['reads', 'list', '--json', '--route', '/v1/persons/unseal'];
    const rows = jsonLines<object>((await mandate(asked)).stdout);
    return rows.length === 2 && rows;
  });
  const ofMia = { keyName: 'dpo', parameters: { refs: [found.ref], count: '3' }, refused: false };
  expect(reads).toEqual([expect.objectContaining(ofMia), expect.objectContaining(ofMia)]);

  const backup = join(folder, 'person-keys-of-yesterday');
  copyFileSync(join(data, 'person-keys'), backup);
  expect((await mandate(['persons', 'list'])).stdout).toBe('nobody was erased\n');
  const kept = await mandate(['persons', 'erase', MIA.id, '--reason', 'ticket 4711'], { answer: 'no' });
  expect([kept.exitCode, await argsOf('a1', '--unseal')]).toEqual([1, readable]);
  const erased = await mandate(['persons', 'erase', MIA.id, '--reason', 'ticket 4711'], { answer: 'yes' });
  expect([erased.exitCode, erased.stderr]).toEqual([0, expect.stringContaining('(yes/no)')]);

  const listed = await mandate(['persons', 'list', '--json']);
  expect(jsonLines(listed.stdout)).toEqual([
    expect.objectContaining({
      ref: found.ref,
      by: expect.stringMatching(/^dpo \(/),
      reason: 'ticket 4711',
      at: expect.any(String),
    }),
  ]);
  expect((await mandate(['persons', 'list'])).stdout).toContain(found.ref);
  const shown = (await mandate(['persons', 'list'], { columns: 80 })).stdout;
  expect(shown).toContain('ticket 4711');
  for (const line of stripVTControlCharacters(shown).split('\n')) expect(line.length).toBeLessThan(81);

  async function isForgotten(): Promise<void> {
    const customer = { id: '[erased]', name: '[erased]' };
    expect(await argsOf('a1', '--unseal')).toEqual({ customer, note: 'write to [erased], please' });
    // The note stays readable: by the privacy document, a match of a pattern belongs to the principal, who is not
    // forgotten.
    expect(await argsOf('a2', '--unseal')).toEqual({ customer, note: readable.note });
    expect(await argsOf('a3', '--unseal')).toEqual({
      customer: { id: BEN.id, name: BEN.name },
      note: `write to ${BEN.mail}, please`,
    });
  }
  await isForgotten();
  const inTheirName = await publish(actionFor(BEN, 'a4', MIA.id));
  expect(inTheirName.stderr + inTheirName.stdout).toContain('PERSON_ERASED');
  await publish(actionFor(MIA, 'a5', BEN.id));
  await recorded(4);
  expect((await argsOf('a5')).customer).toEqual({ id: '[erased]', name: '[erased]' });

  expect(await plane.kill('SIGTERM')).toBe(0);
  const logged = plane.errors();
  expect(logged).toContain('/v1/persons/erase');
  copyFileSync(backup, join(data, 'person-keys'));
  plane = await planeOn(data, mandates);
  await isForgotten();
  expect(await plane.kill('SIGTERM')).toBe(0);

  const before = keysAbove(readFileSync(backup, 'utf8'), found.ref.slice(-16));
  const destroyed = before.flatMap((one) => [one, one.toString('base64url'), one.toString('hex')]);
  const told = [MIA, BEN].flatMap((person) => Object.values(person));
  for (const [path, bytes] of bytesBelow(data).set('the log lines', Buffer.from(logged))) {
    expect([path, [...destroyed, ...told].filter((one) => bytes.includes(one)).length]).toEqual([path, 0]);
  }
  expect(readFileSync(backup).includes(destroyed[1] ?? '')).toBe(true);
});
