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
    const ran = await runCommand(['validate', ...flags, path]);
    expect(ran).toMatchObject({
      exitCode: 0,
      stdout: `${path}: ok (fields: 1, patterns: 1, retention: 0)\n`,
    });
    const asJson = await runCommand(['validate', '--json', ...flags, path]);
    expect(JSON.parse(asJson.stdout)).toEqual({
      file: path,
      ok: true,
      privacy: { fields: 1, patterns: 1, retention: 0 },
    });
  });

  test('names the faults of one by line and column', async () => {
    const path = fileOf('privacy.yaml', 'version: 1\nfields:\n  - { path: principal.id, do: redact }\n');
    const { exitCode, stderr } = await runCommand(['validate', path]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/privacy\.yaml:3:7 fields\.0\.path: principal\.id cannot be redacted/);
  });
});
