/** The first thing a newcomer runs is `npm ci`: it refuses a lockfile that lacks any platform's optional package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Entry = { resolved?: string; link?: boolean; optionalDependencies?: Record<string, string> };

const lockfile: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
);
const entries = Object.entries(lockfile.packages);

/** chdb's engines for other platforms could not be had when the lockfile was made: there, `npm install` completes it. */
const NOT_TO_BE_HAD = /^@chdb\/lib-/;

test('every optional package of every platform is in the lockfile', () => {
  const known = new Set(
    entries.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !known.has(name) && !NOT_TO_BE_HAD.test(name))
      .map((name) => `${path} wants ${name}`),
  );
  expect(missing).toEqual([]);
});

test('the lockfile names no registry', () => {
  const named = entries.filter(([, { resolved, link }]) => link !== true && resolved !== undefined);
  expect(named.map(([path]) => path)).toEqual([]);
});
