/** Tests that every link, path, section and ADR number in a text refers to something that exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenReferences } from './references.ts';
import { ROOT } from './repository.ts';
import { pathsBelow } from './tree.ts';

/** The files of this test. They contain made-up references that do not exist. */
const OWN = /^test\/architecture\/references(?:\.test)?\.ts$/;
const READ = /\.(?:md|ts|lua|sql|mjs)$/;

function repository() {
  const paths = pathsBelow(ROOT);
  const read = paths.filter((path) => READ.test(path) && !OWN.test(path));
  return { paths, texts: new Map(read.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])) };
}

describe('references', () => {
  it('all resolve, in every page and comment of the repository', () => {
    expect(brokenReferences(repository())).toEqual([]);
  });

  const paths = ['README.md', 'docs/semantics.md', 'docs/adr/0007-a.md', 'packages/policy/src/decide.ts'];
  const semantics = [
    '# Rules',
    '## 1. One step',
    '## The `same`',
    '## The same',
    '```',
    '## Code',
    '```',
  ].join('\n');
  const faultsIn = (path: string, text: string) =>
    brokenReferences({
      paths,
      texts: new Map([
        ['docs/semantics.md', semantics],
        [path, text],
      ]),
    });

  it.each([
    ['README.md', '[a](docs/other.md)', 'links to docs/other.md, which does not exist'],
    [
      'README.md',
      '[a](docs/semantics.md#two)',
      'links to docs/semantics.md#two: docs/semantics.md has no such heading',
    ],
    [
      'README.md',
      '[a](docs/semantics.md#code)',
      'links to docs/semantics.md#code: docs/semantics.md has no such heading',
    ],
    ['docs/adr/0007-a.md', '[a](semantics.md)', 'links to semantics.md, which does not exist'],
    [
      'README.md',
      'see `packages/policy/src/plan.ts`',
      'names `packages/policy/src/plan.ts`, which does not exist',
    ],
    ['README.md', 'see `packages/ledger`', 'names `packages/ledger`, which does not exist'],
    ['README.md', 'see `plan.ts`', 'names `plan.ts`, which does not exist'],
    ['README.md', 'as ADR 8 says', 'names ADR 8, which does not exist'],
    ['a.ts', '// docs/adr/0008 says so', 'names ADR 8, which does not exist'],
    ['a.ts', "remedy: 'See docs/other.md.'", 'links to docs/other.md, which does not exist'],
    [
      'a.ts',
      '// docs/semantics.md#two',
      'links to docs/semantics.md#two: docs/semantics.md has no such heading',
    ],
    ['a.ts', ' * packages/policy/src/plan.ts', 'names packages/policy/src/plan.ts, which does not exist'],
    ['a.ts', '// docs/semantics.md section 2', 'names section 2 of docs/semantics.md, which does not exist'],
    [
      'a.ts',
      '// section 2 of docs/semantics.md',
      'names section 2 of docs/semantics.md, which does not exist',
    ],
    ['a.ts', '// SEMANTICS section 1', 'names a page by a word: write its path under docs/'],
  ])('are found if they do not resolve: %s "%s"', (path, text, fault) => {
    expect(faultsIn(path, `\n${text}`)).toEqual([`${path}:2 ${fault}`]);
  });

  it.each([
    [
      'README.md',
      '[a](docs/semantics.md#1-one-step) [b](docs/semantics.md#the-same-1) [c](docs) [d](https://example.com/x.md)',
    ],
    [
      'docs/adr/0007-a.md',
      '[a](../semantics.md), `decide.ts`, `src/decide.ts`, `mandates.yaml`, `plan`, `[a](b.md)`',
    ],
    ['a.ts', '// docs/semantics.md section 1, docs/adr/0007, ADR 7, packages/policy/src/decide.ts'],
    ['a.ts', "const path = 'packages/made/up.ts';"],
  ])('are accepted if they resolve, or if the text only looks like a reference: %s', (path, text) => {
    expect(faultsIn(path, text)).toEqual([]);
  });
});
