import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, it } from 'vitest';
import { filesBelow } from './files-below.ts';

it('finds each file of a folder once, even in a folder that Kubernetes mounts with links', () => {
  const folder = temporaryFolder();
  for (const below of ['..2026_03_01', 'team', 'node_modules/x'])
    mkdirSync(join(folder, below), { recursive: true });
  for (const file of [
    '..2026_03_01/p.yaml',
    'team/b.yml',
    'team/a.yaml',
    'team/notes.md',
    'node_modules/x/y.yaml',
  ])
    writeFileSync(join(folder, file), '');
  symlinkSync('..2026_03_01', join(folder, '..data'));
  symlinkSync('..data/p.yaml', join(folder, 'p.yaml'));
  const names = ['p.yaml', 'team/a.yaml', 'team/b.yml'];
  expect(filesBelow(folder, /\.ya?ml$/)).toEqual(names.map((name) => join(folder, name)));
  const named = join(folder, 'team/notes.md');
  expect(filesBelow(named, /\.ya?ml$/)).toEqual([named]);
});

it('names a path that does not exist', () => {
  expect(() => filesBelow(join(temporaryFolder(), 'nowhere'), /x/)).toThrow('there is no file');
});
