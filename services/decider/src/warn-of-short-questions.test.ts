import { foldControl } from '@mandate/control';
import { loadMandates } from '@mandate/policy/documents';
import { controlRecord } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { warnOfShortQuestions } from './warn-of-short-questions.ts';

const loaded = loadMandates(`version: 1
id: m
agents: ["*"]
toolPolicies:
  of_the_file: { requiresConfirmation: true }
  asks_for_days: { requiresConfirmation: true, questionMs: 259200000, grantMs: 3600000 }
  asks_nobody: {}
`);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const { mandates } = loaded;

const fold = foldControl();
const change = { id: 'c', tenant: 'default', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
const policy = { version: 1, id: 'p', toolPolicies: { of_a_policy: { requiresConfirmation: true } } };
fold.apply(controlRecord.parse({ change, event: 'policy.published', policy }), 1);

function warned(replayMemoryMs: number): unknown[] {
  const lines: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void lines.push(line) };
  warnOfShortQuestions({
    mandates,
    followed: { tenants: new Map(), tenant: fold.tenant },
    ledger: { replayMemoryMs },
    log,
  });
  return lines;
}

test('logs at the start which tools ask a person, but wait less than a weekend for the answer', () => {
  expect(warned(24 * 3_600_000)).toEqual([
    [
      { count: 2, tools: ['of_the_file', 'of_a_policy'] },
      expect.stringMatching(/^questions to a person end after .*: set questionMs of these tools/),
    ],
  ]);
});

test('logs nothing at the start if ids are remembered for a weekend', () => {
  expect(warned(64 * 3_600_000)).toEqual([]);
});
