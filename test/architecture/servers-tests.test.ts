/**
 * A machine without Kafka, Redis and ClickHouse passes all other tests. A test file that needs a server names it, so
 * that vitest skips the file there and reports the skip.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('every test file that needs servers names them', () => {
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
