import { expect, test } from 'vitest';
import { alertTitle, alertWhen } from './alert-rules.ts';

test.each([
  [
    'budget',
    { percent: [80, 100], rearmPoints: 10 },
    '80 % or 100 % of a budget is used. Again only after it fell 10 percentage points below.',
  ],
  [
    'block_rate',
    { percent: 50, leastDecisions: 20, windowMs: 300_000, per: 'agent' },
    '50 % of the decisions of one agent are BLOCK, among at least 20 within 5 min.',
  ],
  ['lag', { lateMs: 30_000 }, 'A decision, or its record, is 30 s late.'],
  ['approval_overdue', { overdueMs: 3_600_000 }, 'A call has waited 1 h for a person.'],
  [
    'policy_event',
    { events: ['permission_denied', 'guardrail_triggered'] },
    'A policy marks a decision with permission_denied or guardrail_triggered.',
  ],
] as const)('says when the rule %s raises an alert', (rule, settings, words) => {
  expect(alertWhen({ rule, on: true, settings: structuredClone(settings) as never })).toBe(words);
});

test('says that a rule is off, and shows an unknown rule by its name', () => {
  expect(alertWhen({ rule: 'budget', on: false, settings: {} })).toBe('It is off.');
  expect([alertTitle('cost_per_call'), alertTitle('of_tomorrow')]).toEqual(['Cost of a call', 'of_tomorrow']);
});
