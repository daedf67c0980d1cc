import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { CommandFailure } from '../exit-codes.ts';
import { lintAfterChange } from './lint-after-change.ts';

const finding = (severity: string, code: string) => ({ severity, code, message: 'M.', remedy: 'R.' });
const answers = (...findings: readonly object[]) => ({
  get: async <T>() => ({ findings, skipped: [] }) as T,
});
const told = (api: Parameters<typeof lintAfterChange>[0]) => lintAfterChange(api, new PassThrough());
const warning = (line: string, remedy: string) => `mandate: warning: ${line}\n  ${remedy}\n`;
const ALL = '`mandate lint` lists all findings.';

test('shows errors in full, warnings as a number, and nothing if there are no findings', async () => {
  expect(await told(answers())).toBe('');
  const mild = finding('warning', 'POLICY_UNUSED');
  expect(await told(answers(mild))).toBe(
    warning('lint finds 0 errors, 1 warning in the documents of the plane', ALL),
  );
  expect(await told(answers(finding('error', 'POLICY_MISSING'), mild, mild))).toBe(
    `error POLICY_MISSING: M.\n  R.\n${warning('lint finds 1 error, 2 warnings in the documents of the plane', ALL)}`,
  );
});

test('only warns if lint does not answer after the changes were made', async () => {
  const get = async () => {
    throw new CommandFailure(1, 'no plane answers');
  };
  expect(await told({ get })).toBe(
    warning(
      'all changes are made, but the findings of lint are unknown: no plane answers',
      'Ask with `mandate lint`.',
    ),
  );
});
