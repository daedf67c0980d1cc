import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFault } from '@mandate/policy/documents';
import { temporaryFolder } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkAlerting, DEFAULT_ALERTING, loadAlerting } from './alert-rules.ts';

const bytes = randomBytes(32);
const env = {
  OPS: `whsec_${bytes.toString('base64')}`,
  SHORT: 'whsec_YWJj',
  PLAIN: 'hush-hush-hush',
  MANDATE_X: 'x',
  CHAT: 'http://hush-hush-hush.example/T0KEN',
  MAIL: 'smtps://ann:hush-hush-hush@mail.example.com',
};

const file = (webhook: string, rules = '') => `version: 1\n${rules}webhooks:\n  - ${webhook}\n`;
const good = 'name: ops\n    url: https://a.example/b\n    tenant: acme\n    secrets: [{ env: OPS }]\n';

const ROOT = join(import.meta.dirname, '../../../..');
const GUIDE = /```yaml\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/alerts.md'), 'utf8'))?.[1] ?? '';
const guide: unknown = parse(GUIDE);

function faultsOf(text: string): string[] {
  const loaded = loadAlerting(text, env);
  return loaded.ok ? [] : loaded.faults.map((fault) => describeFault('f', fault));
}

test('turns on all rules if the file has no rules, or if there is no file', () => {
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

/** Returns the example file of the guide without the named optional fields. */
function guideWithout(left: readonly string[]): unknown {
  const written = structuredClone(guide);
  for (const path of left) {
    const steps = path.split('.');
    const last = steps.pop() as string;
    const parent = steps.reduce<unknown>((node, step) => fieldsOf(node)[step], written);
    delete fieldsOf(parent)[last];
  }
  return written;
}

function fieldsOf(node: unknown): Record<string, unknown> {
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : {};
}

/** Returns the paths of all optional fields: all fields except those that a webhook needs. */
function optionalIn(node: unknown, path = ''): string[] {
  return Object.entries(fieldsOf(node)).flatMap(([key, value]) => {
    const here = path === '' ? key : `${path}.${key}`;
    return [...(REQUIRED.test(here) ? [] : [here]), ...optionalIn(value, here)];
  });
}

const REQUIRED =
  /^version$|^webhooks\.0(?:\.(?:name|url|secrets.*))?$|\.percent\.\d+$|\.(?:rules|policyEvent)\.\d+$/;

test("the fields that the guide calls optional may be left out in any combination, and default to the guide's values", () => {
  const whole = loadAlerting(JSON.stringify(guide), { ALERTS_SECRET: env.OPS });
  fc.assert(
    fc.property(fc.subarray(optionalIn(guide)), (left) => {
      const loaded = loadAlerting(JSON.stringify(guideWithout(left)), { ALERTS_SECRET: env.OPS });
      expect(loaded).toMatchObject({ ok: true });
      if (!loaded.ok || !whole.ok) return;
      expect(loaded.alerting.rules).toEqual(whole.alerting.rules);
      if (left.includes('webhooks')) expect(loaded.alerting.webhooks).toEqual([]);
      else {
        const rules = left.includes('webhooks.0.rules') ? null : whole.alerting.webhooks[0]?.rules;
        expect(loaded.alerting.webhooks).toEqual([{ ...whole.alerting.webhooks[0], rules }]);
      }
    }),
  );
});

test('reads the address of the console, and removes a slash at its end', () => {
  const loaded = loadAlerting('version: 1\nconsoleUrl: https://c.example/m/\n', {});
  expect(loaded).toMatchObject({ ok: true, alerting: { consoleUrl: 'https://c.example/m' } });
});

test('true turns a rule on with its defaults, and false turns it off', () => {
  for (const name of Object.keys(DEFAULT_ALERTING.rules)) {
    const on = loadAlerting(`{ version: 1, rules: { ${name}: true } }`, {});
    expect(on).toEqual({ ok: true, alerting: DEFAULT_ALERTING });
    const off = loadAlerting(`{ version: 1, rules: { ${name}: false } }`, {});
    expect(off).toMatchObject({ ok: true, alerting: { rules: { [name]: false } } });
  }
});

test('refuses events that no policy marks, and an empty list of events', () => {
  expect(faultsOf('{ version: 1, rules: { policyEvent: [denied] } }')).toEqual([
    expect.stringContaining('rules.policyEvent'),
  ]);
  expect(faultsOf(file(good.replace('tenant: acme', 'events: [denied]')))).toEqual([
    expect.stringContaining('webhooks.0.events.0'),
  ]);
  expect(faultsOf(file(good.replace('tenant: acme', 'events: []')))).toHaveLength(1);
});

test('a webhook reads its secrets from the environment and from files', () => {
  const path = join(temporaryFolder(), 'secret');
  writeFileSync(path, `${env.OPS}\n`);
  const loaded = loadAlerting(file(good.replace('{ env: OPS }', `{ env: OPS }, { file: ${path} }`)), env);
  expect(loaded.ok && loaded.alerting.webhooks).toMatchObject([
    { name: 'ops', tenant: 'acme', rules: null, cleared: false, keys: [bytes, bytes] },
  ]);
});

test("the guide's file states the defaults, and the containers' file is valid", () => {
  const loaded = loadAlerting(GUIDE, { ALERTS_SECRET: env.OPS });
  expect(loaded).toMatchObject({ ok: true, alerting: { webhooks: [{ name: 'on-call', keys: [bytes] }] } });
  expect(loaded.ok && loaded.alerting.rules).toEqual(DEFAULT_ALERTING.rules);
  const plain = loadAlerting(file(good), env);
  const { attempts, timeoutMs, longestRetryMs } = (plain.ok && plain.alerting.webhooks[0]) || {};
  expect(loaded.ok && loaded.alerting.webhooks[0]).toMatchObject({ attempts, timeoutMs, longestRetryMs });
  const contained = readFileSync(join(ROOT, 'infra/docker/alerts/alerts.yaml'), 'utf8');
  expect(loadAlerting(contained, {}).ok).toBe(true);
  const withWebhook = contained.replace('webhooks: []', 'webhooks:').replaceAll(/^#( {2})/gm, '$1');
  expect(loadAlerting(withWebhook, { ALERTS_SECRET: env.OPS })).toMatchObject({
    ok: true,
    alerting: { webhooks: [{ name: 'on-call' }] },
  });
});

test("the guide's example of other formats is valid, and its secrets are read", () => {
  const text = /```yaml\n(version: 1\nconsoleUrl[^`]*team-chat.*?)```/s.exec(
    readFileSync(join(ROOT, 'docs/alerts.md'), 'utf8'),
  )?.[1];
  const secrets = {
    SLACK_ALERTS_URL: 'https://hooks.slack.example/T0KEN',
    TEAMS_ALERTS_URL: 'https://teams.example/T0KEN',
    PAGERDUTY_ROUTING_KEY: 'R'.repeat(32),
    ALERTS_SMTP_URL: env.MAIL,
  };
  expect(loadAlerting(text ?? '', secrets)).toMatchObject({
    ok: true,
    alerting: {
      webhooks: [
        { format: 'slack', url: secrets.SLACK_ALERTS_URL, cleared: false },
        { format: 'teams', url: secrets.TEAMS_ALERTS_URL },
        { format: 'pagerduty', url: 'https://events.pagerduty.com/v2/enqueue', cleared: true },
        { format: 'email', server: { host: 'mail.example.com', login: { user: 'ann' } } },
      ],
    },
  });
  const checked = checkAlerting(text ?? '', {});
  expect(checked).toMatchObject({ ok: true, notes: { length: 4 } });
  expect(checked.ok && checked.alerting.webhooks).toHaveLength(4);
});

describe('reports every error with its position, and never prints a secret', () => {
  test.each([
    ['an unknown rule', file(good, 'rules: { kil: true }\n'), 'f:2:10 rules.kil'],
    [
      'a threshold above all',
      file(good, 'rules: { budget: { percent: [101] } }\n'),
      'f:2:30 rules.budget.percent.0',
    ],
    ['a rule that is not told of', file(`${good}    rules: [deaths]\n`), 'f:7:13 webhooks.0.rules.0'],
    [
      'an address of the console with a query',
      'version: 1\nconsoleUrl: https://c.example/?a=1\n',
      'f:2:1 consoleUrl: must be an http or https address',
    ],
    ['a console that is no page', 'version: 1\nconsoleUrl: javascript:1\n', 'f:2:1 consoleUrl'],
    ['an unknown format', file(good.replace('tenant: acme', 'format: smoke')), 'f:5:5 webhooks.0.format'],
    [
      'a Slack webhook with its address in the file',
      file('{ name: s, format: slack, url: https://hooks.slack.example/T0KEN }'),
      'f:3:31 webhooks.0.url',
    ],
    [
      'an unencrypted address of Slack',
      file('{ name: s, format: slack, url: { env: CHAT } }'),
      'f:3:31 webhooks.0.url: does not hold the https address of a webhook',
    ],
    [
      'a bad routing key',
      file('{ name: p, format: pagerduty, routingKey: { env: PLAIN } }'),
      'f:3:35 webhooks.0.routingKey: does not hold a routing key',
    ],
    [
      'an address with a second header',
      file(
        '{ name: m, format: email, to: "a@b.example\\r\\nBcc: c@d.example", from: a@b.example, server: { env: MAIL } }',
      ),
      'webhooks.0.to: must be an e-mail address alone',
    ],
    [
      'a mail server with a path',
      file('{ name: m, format: email, to: a@b.example, from: a@b.example, server: { env: PLAIN } }'),
      'webhooks.0.server: does not hold a mail server',
    ],
    ['another scheme', file(good.replace('https', 'ftp')), 'f:4:5 webhooks.0.url'],
    ['a password in the URL', file(good.replace('//a', '//u:p@a')), 'f:4:5 webhooks.0.url'],
    ['no name', file(good.replace('name: ops\n    ', '')), 'f:3:5 webhooks.0.name'],
    ['no URL', file(good.replace('    url: https://a.example/b\n', '')), 'f:3:5 webhooks.0.url'],
    ['no secrets', file(good.replace('    secrets: [{ env: OPS }]\n', '')), 'f:3:5 webhooks.0.secrets'],
    [
      'a variable that is not set',
      file(good.replace('OPS', 'NONE')),
      'f:6:15 webhooks.0.secrets.0: the variable NONE is not set',
    ],
    [
      'a variable with the name of a setting',
      file(good.replace('OPS', 'MANDATE_X')),
      'f:6:15 webhooks.0.secrets.0: MANDATE_X begins as settings do',
    ],
    [
      'a variable without a secret',
      file(good.replace('OPS', 'PLAIN')),
      'f:6:15 webhooks.0.secrets.0: does not hold a secret',
    ],
    [
      'a secret that is too short',
      file(good.replace('OPS', 'SHORT')),
      'f:6:15 webhooks.0.secrets.0: does not hold a secret',
    ],
    [
      'a secret file that does not exist',
      file(good.replace('{ env: OPS }', '{ file: /nowhere }')),
      'f:6:15 webhooks.0.secrets.0: /nowhere cannot be read',
    ],
    ['a repeated name', `${file(good)}  - ${good}`, 'f:8:5 webhooks.1.name: the name "ops" is used twice'],
    ['two documents', 'version: 1\n---\nversion: 1\n', 'f:3:1 the file holds more than one document'],
    ['an empty file', '', 'f:1:1 the file holds no rules of alerts'],
  ])('reports %s with its position', (_name, text, said) => {
    const faults = faultsOf(text);
    expect(faults.join('\n')).toContain(said);
    expect(faults.join('\n')).not.toContain(env.PLAIN);
  });
});
