/**
 * Tests that the pages in docs agree with the source. Each error code and metric must be in both, and docs/map.md
 * must have one row for each package.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CODES, SETTLEMENT_CODES } from '@mandate/schemas';
import { describe, expect, it } from 'vitest';
import { ROOT } from './repository.ts';
import { readTree } from './tree.ts';

const files = [...readTree(ROOT).files]
  .filter(([path]) => /^(packages|services|schemas)\//.test(path) && !/(\.test|\.fixture)\.ts$/.test(path))
  .filter(([path]) => !path.includes('/contract/') && !path.includes('/testing/'));
const sourceOf = (isWanted: (path: string) => boolean) =>
  files.flatMap(([path, text]) => (isWanted(path) ? [text] : [])).join('\n');
const wholeSource = sourceOf(() => true);
/** The codes of the context builder are not errors: they say in its record why there is no manifest. */
const sourceWithoutBuilder = sourceOf(
  (path) => !path.startsWith('packages/context/') && path !== 'schemas/src/context-built.ts',
);

function found(pattern: RegExp, text = wholeSource): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
}

/** The code that performs runs of agent manifests. */
const sourceOfRuns = sourceOf((path) =>
  /^(services\/runner\/src|packages\/agent-manifest\/src\/(run|conditions))\//.test(path),
);
/** Quoted names in this code that are no codes of failures: settings of the runner, and a code of the reader. */
const isOtherName = (name: string) => sourceOfRuns.includes(`  ${name}: z`) || name === 'SCHEMA_INVALID';

const errorsPage = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
const [, decisions = '', settlements = '', problems = '', errors = '', runs = ''] =
  errorsPage.split(/^## .*$/m);
const codesIn = (section: string) => found(/^\| `([A-Z_]+)` \|/gm, section);

describe('docs/errors.md', () => {
  it('lists every decision code, and no other code', () => {
    expect(codesIn(decisions)).toEqual([...CODES].sort());
  });

  it('lists every settlement code, and no other code', () => {
    expect(codesIn(settlements)).toEqual([...SETTLEMENT_CODES].sort());
  });

  it('lists every code that the source throws', () => {
    const thrown = [
      ...found(/new MandateError\(\s*'([A-Z_]+)'/g),
      ...found(/new HttpProblem\(\s*\d+,\s*'([A-Z_]+)'/g),
      ...found(/'([A-Z]+_IN_FORCE_NOT_ON_LOG)'/g),
      ...found(/'((?:START|STOP)_TIMEOUT)'/g),
      ...found(/'(INVALID_[A-Z]+)'/g, sourceWithoutBuilder),
    ];
    expect(thrown.length).toBeGreaterThan(50);
    const documented = [...codesIn(problems), ...codesIn(errors)];
    expect([...new Set(thrown)].filter((code) => !documented.includes(code))).toEqual([]);
  });

  it('lists every code with which a step or a run fails', () => {
    const written = found(/'([A-Z]+(?:_[A-Z]+)+)'/g, sourceOfRuns);
    const documented = new Set(found(/`([A-Z]+(?:_[A-Z]+)+)`/g, errorsPage));
    expect(written.length).toBeGreaterThan(50);
    expect(written.filter((code) => !documented.has(code) && !isOtherName(code))).toEqual([]);
    const listed = found(/`([A-Z]+(?:_[A-Z]+)+)`/g, runs.replace(/^(\| .*? \|).*$/gm, '$1'));
    expect(listed.filter((code) => !sourceOfRuns.includes(`'${code}'`))).toEqual([]);
  });

  it('lists no code that the source does not contain', () => {
    const documented = [...codesIn(problems), ...codesIn(errors)];
    expect(documented.filter((code) => !wholeSource.includes(`'${code}'`))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

  it('lists every metric, and no other metric', () => {
    expect(found(/^\| `(mandate_[a-z_]+)` \|/gm, page)).toEqual(found(/name: '(mandate_[a-z_]+)'/g));
  });
});

describe('docs/map.md', () => {
  const page = readFileSync(join(ROOT, 'docs/map.md'), 'utf8');

  it('has a row for every package and service', () => {
    const folders = readTree(ROOT).workspaces.flatMap(({ folder }) => (folder === '' ? [] : [folder]));
    expect(folders.filter((folder) => !page.includes(`| \`${folder}\` |`))).toEqual([]);
  });
});
