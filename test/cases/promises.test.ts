/** Tests that docs/promises.md names only tests that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const table = readFileSync(join(ROOT, 'docs/promises.md'), 'utf8');

test('every file in docs/promises.md exists', () => {
  const named = [...table.matchAll(/`((?:docs|packages|schemas|services|test)\/[^`*<]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('docs/promises.md names every golden file', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.yaml'));
  expect(files.filter((name) => !table.includes(name.replace('.yaml', '')))).toEqual([]);
});

test('every part of the ledger’s contract in docs/promises.md exists', () => {
  const parts = [...table.matchAll(/(?<![\w/])contract\/([a-z-]+)/g)].map(([, part = '']) => part);
  expect(parts.filter((part) => !existsSync(join(ROOT, `packages/ledger/src/contract/${part}.ts`)))).toEqual(
    [],
  );
});

test('every test title after a file is in that file', () => {
  const rows = table.matchAll(/`([^`]+\.ts)`((?: "[^"]+",?)+)/g);
  const missing = [...rows].flatMap(([, file = '', names = '']) => {
    const path = file.includes('/') ? file : pathOf(file);
    const text = readFileSync(join(ROOT, path), 'utf8');
    return [...names.matchAll(/"([^"]+)"/g)].flatMap(([, name = '']) =>
      text.includes(name) ? [] : [`${file}: ${name}`],
    );
  });
  expect(missing).toEqual([]);
});

/**
 * Returns the path of a file that the page names without its folder. An earlier place in the page names it with its
 * folder.
 */
function pathOf(file: string): string {
  const [path] = table.match(new RegExp(`[\\w/-]+/${file.replaceAll('.', '\\.')}`)) ?? [];
  if (path === undefined) throw new Error(`${file} is never named in full`);
  return path;
}
