import type { Duties } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { blocked, type CheckFn, obliging, passed, type Subject } from './check.ts';
import { runChecks } from './run-checks.ts';

const subject = {} as Subject;
const refuses = (reason: string): CheckFn => {
  return () => blocked('b', null, { code: 'TOOL_DENIED', reason, remedy: '' });
};
const obliges = (obligations: Duties['obligations']): CheckFn => {
  return () => obliging('o', { notebook: 'team' }, { obligations });
};

test('returns the finding of every check, and the refusal of the first check that blocks', () => {
  const found = runChecks([() => passed('p', 1), refuses('first'), refuses('second')], subject);
  expect(found).toEqual({
    checks: [
      { check: 'p', result: 'pass', evidence: 1 },
      { check: 'b', result: 'block', evidence: null },
      { check: 'b', result: 'block', evidence: null },
    ],
    refusal: { code: 'TOOL_DENIED', reason: 'first', remedy: '', final: true },
    duties: null,
    violations: null,
    opensTurn: null,
  });
});

test('records a check that imposes an obligation as passed, and merges the obligations of all checks', () => {
  const found = runChecks([obliges({ maxResults: 3 }), obliges({ maxResults: 3, redact: ['a'] })], subject);
  const check = { check: 'o', result: 'pass', evidence: { notebook: 'team' } };
  expect(found).toEqual({
    checks: [check, check],
    refusal: null,
    duties: { obligations: { maxResults: 3, redact: ['a'] } },
    violations: null,
    opensTurn: null,
  });
});

test('throws if two checks impose different obligations with the same name', () => {
  expect(() => runChecks([obliges({ maxResults: 3 }), obliges({ maxResults: 4 })], subject)).toThrow(
    'policies oblige to different "maxResults"',
  );
});

test('skips the joint checks if a check blocks, and runs them otherwise', () => {
  const joint = { check: 'j', run: () => passed('j', null) };
  const skipped = runChecks([refuses('first')], subject, [joint]);
  expect(skipped.checks).toEqual([
    { check: 'b', result: 'block', evidence: null },
    { check: 'j', result: 'skip' },
  ]);
  expect(runChecks([() => passed('p', 1)], subject, [joint]).checks.at(1)).toMatchObject({ result: 'pass' });
});
