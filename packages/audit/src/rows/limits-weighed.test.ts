/** Tests the limits of example decisions, and how much of each limit was used after the decision. */
import { readdirSync, readFileSync } from 'node:fs';
import { actionDecided } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { limitsWeighed } from './limits-weighed.ts';

const EXAMPLES = new URL('../../../../schemas/examples/v1/', import.meta.url);
const read = (name: string) =>
  actionDecided.parse(JSON.parse(readFileSync(new URL(name, EXAMPLES), 'utf8'))).decision;
const tersely = (name: string) =>
  limitsWeighed(read(name)).map(
    ({ kind, scope, subject, id, window_ms, used, most }) =>
      `${kind} ${scope}/${subject}/${id}/${window_ms} ${used}/${most}`,
  );

test('leaves the used amount unchanged if the decision refuses the action', () => {
  expect(tersely('action.decided.block-budget.json')).toEqual([
    'rate /airline-007/send_certificate/3600000 2/5',
    'budget agent/airline-007/total/0 9990000/10000000',
    'budget tenant//team/86400000 240000/100000000',
    'rate /airline-007//60000 2/100',
  ]);
});

test('includes the charge of an allowed action', () => {
  const { chargedMicros } = read('action.decided.allow.json');
  expect(chargedMicros).toBe(100_000);
  expect(tersely('action.decided.allow.json')).toEqual([
    'rate /airline-007/send_certificate/3600000 3/5',
    'budget agent/airline-007/total/0 340000/10000000',
    'budget tenant//team/86400000 340000/100000000',
    'rate /airline-007//60000 3/100',
  ]);
});

test('names the policy of a budget that all holders of a mandate share', () => {
  const evidence = { scope: 'mandate', id: 'shared', windowMs: null, spentMicros: 1, maxMicros: 9 };
  const check = { check: 'budget', result: 'pass' as const, evidence };
  const mandate = { id: 'mnd_1', hash: '', rules: ['r'], policies: ['refunds@2'] };
  const decision = {
    ...read('action.decided.block-budget.json'),
    mandate,
    checks: [check, { ...check, policy: 'refunds@2' }],
  };
  expect(limitsWeighed(decision).map(({ subject }) => subject)).toEqual(['mnd_1', 'refunds']);
});

test('names the ancestor or the policy that a limit belongs to', () => {
  const decision = read('action.decided.block-budget.json');
  const budget = { id: 'b', windowMs: null, spentMicros: 1, maxMicros: 2 };
  const seen = (evidence: object, of: object) => ({
    check: 'budget',
    result: 'pass' as const,
    evidence: { ...budget, ...evidence },
    ...of,
  });
  const checks = [
    seen({ scope: 'agent' }, { policy: 'p@1 of lead', ancestor: 'lead' }),
    seen({ scope: 'mandate' }, { policy: 'p@1 of lead', ancestor: 'lead' }),
    seen({ scope: 'mandate' }, { policy: 'q@2' }),
    {
      check: 'mandate-rate',
      result: 'pass' as const,
      evidence: { calls: 0, maxCalls: 1, windowMs: 5 },
      ancestor: 'lead',
    },
  ];
  expect(limitsWeighed({ ...decision, checks }).map(({ subject }) => subject)).toEqual([
    'lead',
    'p',
    'q',
    'lead',
  ]);
});

test('returns no limit for a check without evidence, or with evidence that only newer versions know', () => {
  const decision = read('action.decided.allow.json');
  const checks = [
    { check: 'budget', result: 'pass' as const, evidence: { scope: 'galaxy', id: 'x', windowMs: null } },
    { check: 'tool-rate', result: 'skip' as const },
    { check: 'budget', result: 'pass' as const, evidence: null },
  ];
  expect(limitsWeighed({ ...decision, checks })).toEqual([]);
});

test('reads the limits of every example decision', () => {
  for (const name of readdirSync(EXAMPLES).filter((each) => each.startsWith('action.decided'))) {
    for (const { used, most } of limitsWeighed(read(name))) {
      expect(Number.isSafeInteger(used) && most >= 0, name).toBe(true);
    }
  }
});
