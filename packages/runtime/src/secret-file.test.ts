import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOrMakeSecret } from './secret-file.ts';

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'secret');
}

test('is made once, for its owner alone, and stays', () => {
  const path = file();
  const secret = readOrMakeSecret(path);
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(readOrMakeSecret(path)).toBe(secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readOrMakeSecret(file())).not.toBe(secret);
});

test('a file that holds something else is an error', () => {
  const path = file();
  writeFileSync(path, 'half of it');
  expect(() => readOrMakeSecret(path)).toThrow(/does not hold a secret/);
});
