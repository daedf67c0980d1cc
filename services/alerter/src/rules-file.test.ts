import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { createLogger } from '@mandate/server';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openRulesFile } from './rules-file.ts';

function opened(path: string, { isNamed = false, log = silentLogger() } = {}) {
  const file = openRulesFile(isNamed ? { ALERTER_RULES_PATH: path } : {}, {
    folder: { alerts: path },
    env: {},
    log,
  });
  onTestFinished(() => file.stop());
  return {
    ...file,
    lookTwice() {
      file.look();
      file.look();
    },
  };
}

test('uses the defaults while the file does not exist', () => {
  const path = join(temporaryFolder(), 'alerts.yaml');
  const file = opened(path);
  expect(file.alerting().rules.kill).toBe(true);
  expect(file.readiness()).toEqual({ name: 'alert rules', ok: true });
  writeFileSync(path, 'version: 1\nrules: { kill: false }\n');
  file.lookTwice();
  expect(file.alerting().rules.kill).toBe(false);
});

test('rejects rules and secrets that are not UTF-8, with the position of each fault', () => {
  const folder = temporaryFolder();
  const [path, secret] = [join(folder, 'alerts.yaml'), join(folder, 'secret')];
  writeFileSync(path, Buffer.from('version: 1 # für alle\n', 'utf16le'));
  expect(() => opened(path)).toThrow(/alerts\.yaml:1:1 the file is not UTF-8 at byte 0 .*UTF-16/);
  writeFileSync(secret, Buffer.from('whsec_ü', 'latin1'));
  const webhook = `{ name: ops, url: "https://a.example", tenant: "*", secrets: [{ file: ${secret} }] }`;
  writeFileSync(path, `version: 1\nwebhooks: [${webhook}]\n`);
  expect(() => opened(path)).toThrow(/alerts\.yaml:2:\d+ .*not UTF-8 at byte 6/);
});

test('keeps the last good file after a bad edit, and reports the edit until the file is fixed', () => {
  const path = join(temporaryFolder(), 'alerts.yaml');
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line: string) => void lines.push(line) } });
  writeFileSync(path, 'version: 1\nrules: { kill: false }\n');
  const file = opened(path, { log });
  writeFileSync(path, 'version: 1\nrules: { kil: true }\n');
  file.lookTwice();
  expect(file.alerting().rules.kill).toBe(false);
  expect(file.readiness()).toMatchObject({ ok: true, stale: true });
  expect(file.readiness().detail).toContain('the last good one');
  expect(lines.join('')).toMatch(/"level":"error".*"line":2,"column":10/);
  rmSync(path);
  file.lookTwice();
  expect(file.alerting().rules.kill).toBe(false);
  writeFileSync(path, 'version: 1\n');
  file.lookTwice();
  expect(file.alerting().rules.kill).toBe(true);
  expect(file.readiness()).toEqual({ name: 'alert rules', ok: true });
});

test('throws at the start if the file is bad, or if a setting names a file that does not exist', () => {
  const path = join(temporaryFolder(), 'alerts.yaml');
  expect(() => opened(path, { isNamed: true })).toThrow(/alerts\.yaml:1:1 cannot be read/);
  writeFileSync(path, 'version: 2\n');
  expect(() => opened(path)).toThrow(/alerts\.yaml:1:1 version/);
});

test('signs with a changed secret at once, and reports a secret file that is gone', () => {
  const folder = temporaryFolder();
  const [path, secret] = [join(folder, 'alerts.yaml'), join(folder, 'secret')];
  const secretOf = (letter: string) => `whsec_${Buffer.alloc(32, letter).toString('base64')}\n`;
  writeFileSync(secret, secretOf('a'));
  writeFileSync(
    path,
    JSON.stringify({
      version: 1,
      webhooks: [{ name: 'ops', url: 'http://ops', tenant: '*', secrets: [{ file: secret }] }],
    }),
  );
  const file = opened(path);
  const keys = () =>
    file
      .alerting()
      .webhooks.flatMap((webhook) => (webhook.format === 'mandate' ? webhook.keys.map(String) : []));
  expect(keys()).toEqual(['a'.repeat(32)]);
  writeFileSync(secret, secretOf('b'));
  file.lookTwice();
  expect(keys()).toEqual(['b'.repeat(32)]);
  rmSync(secret);
  file.lookTwice();
  expect(file.readiness().detail).toContain('the last good one');
  writeFileSync(secret, secretOf('c'));
  file.lookTwice();
  expect(keys()).toEqual(['c'.repeat(32)]);
  expect(file.readiness().detail).toBeUndefined();
});
