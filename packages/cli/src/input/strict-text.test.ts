import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const MANDATE = 'version: 1\nid: m\nagents: ["*"]\ndeniedTools: [löschen]\n';
const POLICY = 'kind: policy\nversion: 1\nid: p\ndeniedTools: [löschen]\n';
const ALERTS = 'version: 1 # für alle\n';
const CASES = 'version: 1\nmandates: m.yaml\n# für\ncases: []\n';
const ACTION = '{"id":"a","agentId":"bot","type":"tool_call","tool":"löschen"}\n';
const PLANE = ['--url', 'http://127.0.0.1:9', '--key', 'k'];

const ENCODINGS: readonly (readonly [string, (text: string) => Buffer, RegExp])[] = [
  ['Latin-1', (text) => Buffer.from(text, 'latin1'), /is probably Latin-1 or Windows-1252/],
  ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), /this is UTF-16/],
  ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le'), /UTF-16 without a byte order mark/],
  ['text that was cut off', (text) => cutOff(text), /was cut off/],
];

/** Returns the bytes of the text up to the first byte of its last `ü` or `ö`. */
function cutOff(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('ü', 'éü').replaceAll('ö', 'éö'));
  return bytes.subarray(0, bytes.lastIndexOf(0xc3) + 1);
}

const READERS: readonly (readonly [string, string, string, (file: string) => string[]])[] = [
  ['mandates', 'm.yaml', MANDATE, (file) => ['validate', file]],
  ['policies', 'p.yaml', POLICY, (file) => ['validate', file]],
  ['privacy', 'privacy.yaml', ALERTS, (file) => ['validate', file]],
  ['rules of alerts', 'alerts.yaml', ALERTS, (file) => ['validate', file]],
  [
    'mandates to evaluate',
    'm.yaml',
    MANDATE,
    (file) => ['eval', '--mandates', file, '--actions', '/dev/null'],
  ],
  ['policies to lint', 'p.yaml', POLICY, (file) => ['lint', '-f', file]],
  ['cases', 'c.test.yaml', CASES, (file) => ['test', file]],
  ['records to publish', 'a.ndjson', ACTION, (file) => ['publish', ...PLANE, '--file', file]],
];

describe.each(READERS)('%s', (_what, name, text, args) => {
  test.each(ENCODINGS)(
    'are refused in %s with the position of the byte and the encoding',
    async (_encoding, encode, why) => {
      const file = join(temporaryFolder(), name);
      writeFileSync(file, encode(text));
      const { exitCode, stderr } = await runCommand(args(file));
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(why) });
      expect(stderr).toMatch(/:\d+:\d+ .*not UTF-8 at byte \d+ \(0x[0-9A-F]{2}\)/);
    },
  );

  test('may begin with the byte order mark of UTF-8', async () => {
    const file = join(temporaryFolder(), name);
    const run = async (written: string) => {
      writeFileSync(file, written);
      return runCommand(args(file));
    };
    expect(await run(`\ufeff${text}`)).toEqual(await run(text));
  });
});

test('an action in Latin-1 becomes a dead letter, and never an action of another tool', async () => {
  const folder = temporaryFolder();
  const [mandates, actions] = [join(folder, 'm.yaml'), join(folder, 'a.ndjson')];
  writeFileSync(mandates, MANDATE);
  writeFileSync(actions, Buffer.from(ACTION, 'latin1'));
  const { exitCode, stdout } = await runCommand(['eval', '--mandates', mandates, '--actions', actions]);
  expect(exitCode).toBe(2);
  expect(stdout).toMatch(/"dead\.letter".*not UTF-8 at byte \d+/);
});

test('the name of a person on stdin is refused if its encoding is Latin-1', async () => {
  const { exitCode, stderr } = await runCommand(['persons', 'find', '-', ...PLANE], {
    stdin: Buffer.from('jürgen\n', 'latin1'),
  });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/stdin:? .*not UTF-8 at byte 1 \(0xFC\)/);
});
