import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('uses the word "kill" on every page, and never the word "stop"', () => {
  const paths = globSync('**/*.tsx', { cwd: import.meta.dirname });
  expect(paths.length).toBeGreaterThan(40);
  const found = paths.filter((path) =>
    /\bstop(?:s|ped|ping)?\b/i.test(readFileSync(`${import.meta.dirname}/${path}`, 'utf8')),
  );
  expect(found).toEqual([]);
});
