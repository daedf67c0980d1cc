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

test('offers an identity provider as soon as the file in the data folder exists, and none before', () => {
  const path = join(temporaryFolder(), 'oidc.yaml');
  const file = opened(path);
  expect(file.oidc()).toBeNull();
  writeFileSync(path, GOOD);
  file.look();
  file.look();
  expect(file.oidc()).toMatchObject({ issuer: 'https://login.example' });
});

test('does not start if a setting names a missing or bad file, and names the line of each fault', () => {
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
