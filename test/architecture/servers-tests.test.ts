/**
 * Tests without servers run on every machine. A test file that needs Kafka, Redis, ClickHouse or a
 * program such as Chromium must name it. Then vitest skips the file on a machine without it, and reports that it was
 * skipped.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('every test file that needs a server names the server', () => {
  const files = globSync('{packages,services,test}/**/*.servers.test.ts', { cwd: ROOT }).filter(
    (file) => !file.includes('node_modules'),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !/(describe|test)With[A-Z]\w+\(/.test(read(file)))).toEqual([]);
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
