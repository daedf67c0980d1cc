import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const DIST = join(import.meta.dirname, '../../../packages/console/dist');

test('the first page loads at most 170 KB', () => {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(first.length).toBeGreaterThan(1);
  const bytes = first.reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length,
    0,
  );
  expect(bytes).toBeLessThan(170 * 1024);
  expect(
    readdirSync(join(DIST, 'assets')).every((name) => statSync(join(DIST, 'assets', name)).size > 0),
  ).toBe(true);
});
