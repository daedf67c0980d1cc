import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdExclusively } from './hold-exclusively.ts';

test('one holder at a time, and the next after it let go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'lock');
  const held = holdExclusively(path, 'the plane');
  expect(() => holdExclusively(path, 'the plane')).toThrow(/in use by another process/);
  held.release();
  holdExclusively(path, 'the plane').release();
});
