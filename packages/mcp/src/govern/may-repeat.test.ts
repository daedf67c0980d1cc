import { expect, test } from 'vitest';
import type { Hints } from './known-tools.ts';
import { mayRepeat } from './may-repeat.ts';

test.each<[Hints | null, boolean]>([
  [null, false],
  [{ openWorld: false }, false],
  [{ destructive: false }, false],
  [{ readOnly: true }, true],
  [{ readOnly: false }, false],
  [{ readOnly: true, destructive: true }, false],
  [{ idempotent: true }, true],
  [{ idempotent: true, destructive: true }, true],
  [{ idempotent: false, readOnly: true }, true],
  [{ idempotent: false }, false],
])('a call of a tool with the hints %j may be sent twice: %s', (hints, may) => {
  expect(mayRepeat(hints, { checks: [] })).toBe(may);
});

const READS = { readOnly: true };

test.each<[string, Hints | null, (boolean | undefined)[], boolean]>([
  ['a policy that denies it', READS, [false], false],
  ['a policy that says so', null, [true], true],
  ['a policy that says so about a destructive tool', { destructive: true }, [true], true],
  ['the one of two policies that denies it', READS, [true, false], false],
  ['the server, if a policy states only a risk', READS, [undefined], true],
])('follows %s', (_, hints, stated, may) => {
  const checks = stated.map((idempotent) => ({
    check: 'tool-facts',
    result: 'pass' as const,
    evidence: idempotent === undefined ? { risk: 'safe' } : { idempotent },
  }));
  const other = { check: 'tool-rate', result: 'pass' as const, evidence: { idempotent: false } };
  expect(mayRepeat(hints, { checks: [...checks, other] })).toBe(may);
});
