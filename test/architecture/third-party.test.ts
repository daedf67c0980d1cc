import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { thirdParty } from '../../scripts/third-party.ts';

function installed(packages: Record<string, { manifest: object; files?: Record<string, string> }>): string {
  const folder = temporaryFolder();
  for (const [name, { manifest, files = {} }] of Object.entries(packages)) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ version: '1.0.0', ...manifest }));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  }
  return folder;
}

test('an image lists the licence and its text for each installed package, also for packages inside packages', () => {
  const folder = installed({
    '@scope/one': { manifest: { name: '@scope/one', license: 'MIT' }, files: { LICENSE: 'the text of one' } },
    two: {
      manifest: { name: 'two', license: { type: 'ISC' }, author: 'ann' },
      files: { NOTICE: 'a notice' },
    },
    'two/node_modules/three': { manifest: { name: 'three', licenses: [{ type: 'BSD' }, { type: 'MIT' }] } },
  });
  const text = thirdParty(folder);
  expect(text).toMatch(/@scope\/one@1\.0\.0\nMIT\n\nthe text of one\n/);
  expect(text).toMatch(/two@1\.0\.0\nISC\nann\n\na notice\n/);
  expect(text).toMatch(/three@1\.0\.0\nBSD or MIT\n\n\(The package brings no text of it\.\)\n/);
});

test('an image cannot be made with a package that has no licence', () => {
  expect(() => thirdParty(installed({ none: { manifest: { name: 'none' } } }))).toThrow(
    'none@1.0.0 says nothing of its licence',
  );
});

test('every package that this repository installs states its licence', () => {
  expect(thirdParty(join(import.meta.dirname, '../..'))).toContain('\ncommander@');
});
