/** The files in testdata: a configuration of each client before and after its import. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ASKED, imported, undone } from './imported.fixture.ts';

const FOLDER = join(import.meta.dirname, 'testdata');
const FILES = globSync('*/before.*', { cwd: FOLDER });

test('has a golden configuration for every client', () => {
  const clients = ['claude-code', 'claude-desktop', 'claude-user', 'codex', 'cursor', 'vscode'];
  expect(FILES.map(dirname).sort()).toEqual(clients);
});

test.each(FILES)('%s becomes the expected file, and the undo restores the original', async (file) => {
  const before = readFileSync(join(FOLDER, file), 'utf8');
  const after = readFileSync(join(FOLDER, dirname(file), `after${extname(file)}`), 'utf8');
  expect(await imported(before)).toBe(after);
  expect(await imported(after, { ...ASKED, agent: 'another' })).toBe(after);
  // An undo also removes a proxy that a person has inserted by hand.
  expect(await undone(after)).toBe(await undone(before));
  if (!before.includes('"mcp", "--agent"')) expect(await undone(after)).toBe(before);
});
