import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

/** Returns YAML for an agent with one policy for each list of allowed tools. */
const documentsOf = (...lists: readonly (readonly string[])[]) =>
  [
    'kind: agent\nid: bot\n',
    ...lists.flatMap((tools, at) => [
      `kind: rule\nversion: 1\nid: r${at}\npolicy: p${at}\n`,
      `kind: policy\nversion: 1\nid: p${at}\nallowedTools: ${JSON.stringify(tools)}\n`,
    ]),
  ].join('---\n');

function lint(text: string, ...options: string[]) {
  const path = join(temporaryFolder(), 'control.yaml');
  writeFileSync(path, text);
  return runCommand(['lint', '-f', path, ...options]);
}

test("warns if a rule names a version that the files do not contain, and checks the policy's only document instead", async () => {
  const pinned = documentsOf(['read_*']).replace('policy: p0', 'policy: p0@2');
  expect(await lint(pinned)).toEqual({
    exitCode: 0,
    stdout: '0 errors, 0 warnings\n',
    stderr: expect.stringMatching(
      /^mandate: warning: the rule "r0" names p0@2, but files contain only one version of that policy\n {2}The file is taken for that version. .*\n$/,
    ),
  });
  expect(await lint(pinned.replace('id: p0\n', 'id: p1\n'))).toMatchObject({
    exitCode: 3,
    stdout: expect.stringMatching(/^error POLICY_MISSING: The rule "r0" names the policy "p0@2"/),
    stderr: '',
  });
});

test('says on stderr which checks were left out', async () => {
  expect(await lint(documentsOf(['read_*']))).toEqual({
    exitCode: 0,
    stdout: '0 errors, 0 warnings\n',
    stderr: '',
  });
  const many = Array.from({ length: 300 }, (_, at) => `read_mail_${at}_`);
  const { exitCode, stdout, stderr } = await lint(documentsOf(many, ['*_1', '*_now']), '--json');
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(
    /^mandate: warning: lint left out checks .*\n {2}Not known: NOTHING_IN_COMMON of 1 agent\.\n$/,
  );
});
