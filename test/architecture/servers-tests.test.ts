/** A machine without servers passes everything else: what needs one says so, and is skipped there and told of. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('every file of tests on servers says which it needs', () => {
  const files = globSync('{packages,services,test}/**/*.servers.test.ts', { cwd: ROOT }).filter(
    (file) => !file.includes('node_modules'),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(
    files.filter(
      (file) =>
        !/describeWith(Own)?Servers\(|testWithKcat\(|describeWithMovableClock\(|describeWithPromtool\(/.test(
          read(file),
        ),
    ),
  ).toEqual([]);
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
