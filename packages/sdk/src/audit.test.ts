import { readActionsRecord, readDecisionsRecord } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import type { AuditRecord } from './audit/audit-output.ts';
import { Mandate } from './index.ts';

const PAY = { toolPolicies: { pay: { cost: 5 } }, maxCostTotal: 5 } as const;

test('records every decision and settlement, in the form that the log of a plane has', async () => {
  const taken: AuditRecord[] = [];
  const options = {
    agentId: 'bot',
    mandate: PAY,
    audit: [(records: readonly AuditRecord[]) => taken.push(...records)],
  };
  const mandate = new Mandate(options);
  const tools = mandate.createExecutor();
  await tools.run('pay', { to: 'ann' }, () => 'paid');
  await tools.run('pay', { to: 'bob' }, () => 'paid').catch(() => {});
  await mandate.flush();
  expect(taken.map(({ event }) => event)).toEqual(['action.decided', 'action.settled', 'action.decided']);
  for (const record of taken) {
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    expect(readDecisionsRecord(bytes)).toEqual(JSON.parse(JSON.stringify(record)));
    expect(readActionsRecord(bytes).ok).toBe(false);
  }
  expect(mandate.getAuditCounts()).toEqual({ written: 3, waiting: 0, spilled: 0, lost: 0 });
  await mandate.close();
});

test.each<[string, unknown]>([
  ['a path', 'audit.jsonl'],
  ['a list of paths', ['audit.jsonl']],
  ['a function', () => {}],
  ['an output without its list', { name: 'mine', write: async () => {} }],
  ['no object', null],
])('an audit that is %s is refused, with an example', (_what, audit) => {
  const options = { agentId: 'bot', mandate: PAY, audit: audit as never };
  expect(() => new Mandate(options)).toThrow(
    expect.objectContaining({
      code: 'SDK_MISUSED',
      message: '`audit` is no list of outputs.',
      remedy: "Use `audit: [fileOutput('audit.jsonl')]`, for example.",
    }),
  );
});

test('an instance whose mandate has a fault leaves its spill folder free', async () => {
  const audit = { outputs: [() => {}], spillFolder: temporaryFolder() };
  const mandate = new Mandate({ agentId: 'bot', audit });
  expect(() => mandate.configure({ mandate: { maxCostTotal: -1 } })).toThrow('maxCostTotal');
  mandate.configure({ mandate: PAY });
  expect(await mandate.createExecutor().run('pay', {}, () => 'paid')).toBe('paid');
  await mandate.close();
});

test('an output that fails changes no call', async () => {
  const errors: unknown[] = [];
  const mandate = new Mandate({
    agentId: 'bot',
    mandate: PAY,
    audit: { outputs: [() => Promise.reject(new Error('away'))], maxRecords: 1 },
    onError: (error) => errors.push(error),
  });
  expect(await mandate.createExecutor().run('pay', {}, () => 'paid')).toBe('paid');
  await mandate.flush({ timeoutMs: 1 });
  expect(mandate.getAuditCounts()).toEqual({ written: 0, waiting: 1, spilled: 0, lost: 1 });
  expect(errors.length).toBeGreaterThan(0);
  await mandate.close({ timeoutMs: 1 });
  expect(mandate.getAuditCounts().lost).toBe(2);
});
