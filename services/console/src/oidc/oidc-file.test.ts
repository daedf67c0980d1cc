import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openOidcFile } from './oidc-file.ts';

const GOOD = `version: 1
issuer: https://login.example
clientId: mandate
rules: [{ claims: { groups: ops }, role: operator }]
`;

function opened(path: string, { isNamed = false } = {}) {
  const settings = isNamed ? { CONSOLE_OIDC_PATH: path } : {};
  const file = openOidcFile(settings, { folder: { oidc: path }, env: {}, log: silentLogger() });
  onTestFinished(() => file.stop());
  return file;
}

const pathOf = (text: string) => {
  const path = join(temporaryFolder(), 'oidc.yaml');
  writeFileSync(path, text);
  return path;
};

test('offers no identity provider while the file of the data folder does not exist, and one as soon as it does', () => {
  const path = join(temporaryFolder(), 'oidc.yaml');
  const file = opened(path);
  expect(file.oidc()).toBeNull();
  writeFileSync(path, GOOD);
  file.look();
  file.look();
  expect(file.oidc()).toMatchObject({ issuer: 'https://login.example' });
});

test('does not start without a file that a setting names, or with a bad one, and says the line of each fault', () => {
  const absent = join(temporaryFolder(), 'oidc.yaml');
  expect(() => opened(absent, { isNamed: true })).toThrow(expect.objectContaining({ code: 'OIDC_INVALID' }));
  const bad = pathOf(GOOD.replace('groups: ops', 'groups: []'));
  expect(() => opened(bad)).toThrow(/oidc\.yaml:4:\d+ /);
});

test('keeps the last good document after a bad edit, and shows the edit in readiness', () => {
  const path = pathOf(GOOD);
  const file = opened(path);
  writeFileSync(path, 'version: 1\n');
  file.look();
  file.look();
  expect(file.oidc()).toMatchObject({ clientId: 'mandate' });
  expect(file.readiness()).toMatchObject({ ok: true, stale: true });
});
