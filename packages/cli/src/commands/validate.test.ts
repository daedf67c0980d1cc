import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const GOOD =
  'version: 1\nfields: [{ path: args.card, do: redact }]\npatterns: [{ pattern: email, do: hash }]\n';

function fileOf(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

describe('mandate validate', () => {
  test.each([
    ['a privacy document by its name', 'privacy.yaml', []],
    ['one of another name, when it is told', 'people.yaml', ['--privacy']],
  ])('checks %s', async (_, name, flags) => {
    const path = fileOf(name, GOOD);
    const env = { MANDATE_PLANE_HASH_KEY: 'a key of 16 or more' };
    const ran = await runCommand(['validate', ...flags, path], { env });
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: `${path}: ok (fields: 1, patterns: 1, retention: 0)\n`,
    });
    const asJson = await runCommand(['validate', '--json', ...flags, path], { env });
    expect(JSON.parse(asJson.stdout)).toEqual({
      file: path,
      ok: true,
      privacy: { fields: 1, patterns: 1, retention: 0 },
      notes: [],
    });
  });

  test('reports the faults of a privacy document by line and column', async () => {
    const path = fileOf('privacy.yaml', 'version: 1\nfields:\n  - { path: principal.id, do: redact }\n');
    const { exitCode, stderr } = await runCommand(['validate', path]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/privacy\.yaml:3:7 fields\.0\.path: principal\.id cannot be redacted/);
  });

  const WEBHOOK =
    '{ name: ops, url: "https://a.example", tenant: "*", secrets: [{ env: OPS_SECRET }, { file: /nowhere }] }';
  const ALERTS = `version: 1\nrules: { lag: false }\nwebhooks: [${WEBHOOK}]\n`;

  test.each([
    ['rules of alerts by their name', 'alerts.yaml', []],
    ['those of another name, when it is told', 'ops.yaml', ['--alerts']],
  ])('checks %s, and prints a note about a secret that only the alerter has', async (_, name, flags) => {
    const path = fileOf(name, ALERTS);
    const notes = [
      'webhooks.0.secrets.0: the variable OPS_SECRET is not set',
      expect.stringMatching(/^webhooks\.0\.secrets\.1: \/nowhere cannot be read: /),
    ];
    const ran = await runCommand(['validate', ...flags, path]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${path}: ok (rules: 11, webhooks: 1)\n` });
    expect(ran.stderr).toContain(`${path}: note: ${notes[0]}\n`);
    const asJson = await runCommand(['validate', '--json', ...flags, path]);
    expect(JSON.parse(asJson.stdout)).toEqual({
      file: path,
      ok: true,
      alerts: { rules: 11, webhooks: 1 },
      notes,
    });
    expect(asJson.stderr).toBe('');
  });

  test('reports the faults of alert rules by line and column, and never shows a secret', async () => {
    const path = fileOf('alerts.yml', ALERTS.replace('rules: {', 'rules: { kil: true,'));
    const shape = await runCommand(['validate', path]);
    expect(shape).toMatchObject({ exitCode: 2, stdout: '' });
    expect(shape.stderr).toMatch(/alerts\.yml:2:10 rules\.kil: /);
    const good = fileOf('alerts.json', ALERTS);
    const secret = await runCommand(['validate', good], { env: { OPS_SECRET: 'hush-hush' } });
    expect(secret).toMatchObject({ exitCode: 2, stdout: '' });
    expect(secret.stderr).toMatch(/alerts\.json:3:\d+ webhooks\.0\.secrets\.0: does not hold a secret/);
    expect(secret.stderr).not.toContain('hush');
  });

  test('recognises agents, policies and rules by their kinds', async () => {
    const agent = 'kind: agent\nid: bot\n';
    const rule = (policy: string) => `---\nkind: rule\nversion: 1\nid: all\n${policy}\n`;
    const good = fileOf('control.yaml', agent + rule('policy: p'));
    expect(await runCommand(['validate', good])).toMatchObject({
      exitCode: 0,
      stdout: `${good}: ok (agents: 1, policies: 0, rules: 1)\n`,
    });
    const bad = fileOf('control.yaml', agent + rule('polcy: p'));
    const { exitCode, stderr } = await runCommand(['validate', bad]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('control.yaml:7:1 polcy: is not a known field'),
    ]);
  });

  test('checks a gate of agent manifests by its name', async () => {
    const good = fileOf('gate.yaml', 'max_risk_level: standard\n');
    expect(await runCommand(['validate', good])).toMatchObject({
      exitCode: 0,
      stdout: `${good}: ok (gate of agent manifests)\n`,
    });
    const bad = fileOf('gate.yaml', 'max_risk: standard\n');
    const { exitCode, stderr } = await runCommand(['validate', bad]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/gate\.yaml:1:1 max_risk: .* \(FIELD_UNKNOWN\)\n$/),
    ]);
  });

  test('refuses a file with documents of two kinds', async () => {
    const { exitCode, stderr } = await runCommand(['validate', '--alerts', '--privacy', 'x.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("'--privacy' cannot be used with option '--alerts'");
  });
});
