import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const AGENT = 'kind: agent\nid: bot\n---\nkind: rule\nversion: 1\nid: all\npolicy: p\n---\n';
const policyOf = (tools: readonly string[]) =>
  `${AGENT}kind: policy\nversion: 1\nid: p\nallowedTools: ${JSON.stringify(tools)}\n`;

function lint(text: string, ...options: string[]) {
  const path = join(temporaryFolder(), 'control.yaml');
  writeFileSync(path, text);
  return runCommand(['lint', '-f', path, ...options]);
}

test('says what was not looked at, beside what it prints', async () => {
  expect(await lint(policyOf(['read_*']))).toEqual({
    exitCode: 0,
    stdout: '0 errors, 0 warnings\n',
    stderr: '',
  });
  const many = Array.from({ length: 300 }, (_, at) => `read_mail_${at}`);
  const { exitCode, stdout, stderr } = await lint(policyOf(many), '--json');
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(
    /^mandate: warning: not everything .*\n {2}Not known: NOTHING_IN_COMMON of 1 agent\.\n$/,
  );
});
