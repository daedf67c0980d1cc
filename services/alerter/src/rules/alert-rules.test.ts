import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFault } from '@mandate/policy';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ALERTING, loadAlerting } from './alert-rules.ts';

const bytes = randomBytes(32);
const env = {
  OPS: `whsec_${bytes.toString('base64')}`,
  SHORT: 'whsec_YWJj',
  PLAIN: 'hush-hush-hush',
  MANDATE_X: 'x',
};

const file = (webhook: string, rules = '') => `version: 1\n${rules}webhooks:\n  - ${webhook}\n`;
const good = 'name: ops\n    url: https://a.example/b\n    tenant: acme\n    secrets: [{ env: OPS }]\n';

function faultsOf(text: string): string[] {
  const loaded = loadAlerting(text, env);
  return loaded.ok ? [] : loaded.faults.map((fault) => describeFault('f', fault));
}

test('a file without rules has all of them, and so has none', () => {
  expect(loadAlerting('version: 1', env)).toEqual({ ok: true, alerting: DEFAULT_ALERTING });
  expect(DEFAULT_ALERTING).toMatchObject({
    webhooks: [],
    rules: {
      kill: true,
      budget: { percent: [80, 100], rearmPoints: 10 },
      firstUse: true,
      lag: { lateMs: 30_000 },
    },
  });
});

test('a webhook has its keys, from the environment and from files', () => {
  const path = join(temporaryFolder(), 'secret');
  writeFileSync(path, `${env.OPS}\n`);
  const loaded = loadAlerting(file(good.replace('{ env: OPS }', `{ env: OPS }, { file: ${path} }`)), env);
  expect(loaded.ok && loaded.alerting.webhooks).toMatchObject([
    { name: 'ops', tenant: 'acme', rules: null, cleared: false, keys: [bytes, bytes] },
  ]);
});

test('the file of the guide says what the defaults are, and that of the containers is good', () => {
  const root = join(import.meta.dirname, '../../../..');
  const guide = /```yaml\n(.*?)```/s.exec(readFileSync(join(root, 'docs/alerts.md'), 'utf8'))?.[1] ?? '';
  const loaded = loadAlerting(guide, { ALERTS_SECRET: env.OPS });
  expect(loaded).toMatchObject({ ok: true, alerting: { webhooks: [{ name: 'on-call', keys: [bytes] }] } });
  expect(loaded.ok && loaded.alerting.rules).toEqual(DEFAULT_ALERTING.rules);
  const plain = loadAlerting(file(good), env);
  const { attempts, timeoutMs, longestRetryMs } = (plain.ok && plain.alerting.webhooks[0]) || {};
  expect(loaded.ok && loaded.alerting.webhooks[0]).toMatchObject({ attempts, timeoutMs, longestRetryMs });
  const contained = readFileSync(join(root, 'infra/docker/alerts/alerts.yaml'), 'utf8');
  expect(loadAlerting(contained, {}).ok).toBe(true);
  const withWebhook = contained.replace('webhooks: []', 'webhooks:').replaceAll(/^#( {2})/gm, '$1');
  expect(loadAlerting(withWebhook, { ALERTS_SECRET: env.OPS })).toMatchObject({
    ok: true,
    alerting: { webhooks: [{ name: 'on-call' }] },
  });
});

describe('every fault has its place, and no secret is told', () => {
  test.each([
    ['an unknown rule', file(good, 'rules: { kil: true }\n'), 'f:2:10 rules.kil'],
    [
      'a threshold above all',
      file(good, 'rules: { budget: { percent: [101] } }\n'),
      'f:2:30 rules.budget.percent.0',
    ],
    ['a rule that is not told of', file(`${good}    rules: [deaths]\n`), 'f:7:13 webhooks.0.rules.0'],
    ['another scheme', file(good.replace('https', 'ftp')), 'f:4:5 webhooks.0.url'],
    ['a password in the address', file(good.replace('//a', '//u:p@a')), 'f:4:5 webhooks.0.url'],
    ['no tenant', file(good.replace('    tenant: acme\n', '')), 'f:3:5 webhooks.0.tenant'],
    [
      'a variable that is not set',
      file(good.replace('OPS', 'NONE')),
      'f:6:15 webhooks.0.secrets.0: the variable NONE is not set',
    ],
    [
      'a setting',
      file(good.replace('OPS', 'MANDATE_X')),
      'f:6:15 webhooks.0.secrets.0: MANDATE_X begins as settings do',
    ],
    ['no secret', file(good.replace('OPS', 'PLAIN')), 'f:6:15 webhooks.0.secrets.0: does not hold a secret'],
    [
      'too short a one',
      file(good.replace('OPS', 'SHORT')),
      'f:6:15 webhooks.0.secrets.0: does not hold a secret',
    ],
    [
      'a file that is not there',
      file(good.replace('{ env: OPS }', '{ file: /nowhere }')),
      'f:6:15 webhooks.0.secrets.0: /nowhere cannot be read',
    ],
    ['a name twice', `${file(good)}  - ${good}`, 'f:8:5 webhooks.1.name: the name "ops" stands twice'],
    ['two documents', 'version: 1\n---\nversion: 1\n', 'f:3:1 the file holds more than one document'],
    ['nothing', '', 'f:1:1 the file holds no rules of alerts'],
  ])('%s', (_name, text, said) => {
    const faults = faultsOf(text);
    expect(faults.join('\n')).toContain(said);
    expect(faults.join('\n')).not.toContain(env.PLAIN);
  });
});
