/** Tests grants with a decider and its ledger: what is spent under a grant, and by which clock the grant ends. */
import { expect, test } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf, START_MS } from '../decider-in-a-box.ts';
import { governed, TTL_MS, type tenant } from './tenant-with-grants.ts';

function decider(made: ReturnType<typeof tenant>): Box {
  const box = deciderInABox([{}]);
  box.context = { ...box.context, control: () => made.mandates };
  return box;
}
let asked = 0;
async function act(box: Box, fields: object = {}) {
  asked += 1;
  const record = asking({ id: `act-${asked}`, agentId: 'bot', tenant: 'acme', tool: 'read', ...fields });
  const [answer] = await box.answer([box.append(record)]);
  return decisionOf(answer);
}

test('an action under a grant is allowed until the grant is revoked', async () => {
  const made = governed();
  const box = decider(made);
  made.issue('1');
  expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({
    verdict: 'ALLOW',
    mandate: { id: 'mnd_1', rules: ['r'], policies: ['p@1'] },
  });
  made.revoke('1');
  expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({
    verdict: 'BLOCK',
    code: 'MANDATE_EXPIRED',
    final: true,
  });
  expect(await act(box)).toMatchObject({ verdict: 'ALLOW' });
});

test('a grant ends by the ledger’s clock, whatever the decider’s clock says', async () => {
  const made = governed();
  const box = decider(made);
  box.context = { ...box.context, clock: () => START_MS };
  made.issue('1');
  box.clock.advance(TTL_MS - 1);
  expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({ verdict: 'ALLOW' });
  box.clock.advance(1);
  expect(await act(box, { mandateId: 'mnd_1' })).toMatchObject({ code: 'MANDATE_EXPIRED' });
});

test('a new grant resets no counter', async () => {
  const made = governed({
    maxCostTotal: 3,
    budgets: [{ id: 'shared', scope: 'mandate', max: 2 }],
    rateLimit: { maxCalls: 4, windowMs: 3_600_000 },
  });
  made.agent({ id: 'other' });
  const box = decider(made);
  for (const id of ['1', '2', '3']) made.issue(id);
  made.issue('4', {}, 'other');
  const spend = async (mandateId: string, agentId = 'bot') => {
    const { code, reason } = await act(box, { mandateId, agentId, estimatedCostMicros: 1_000_000 });
    return `${code} ${reason.match(/"(\w+)"/)?.[1] ?? ''}`.trim();
  };
  expect(await spend('mnd_1')).toBe('ALLOWED');
  expect(await spend('mnd_2')).toBe('ALLOWED');
  expect(await spend('mnd_3')).toBe('COST_LIMIT_EXCEEDED shared');
  // All agents with this policy share its budget, whatever grants they have.
  expect(await spend('mnd_4', 'other')).toBe('COST_LIMIT_EXCEEDED shared');
  const { checks, reservation } = await act(box, { mandateId: 'mnd_1' });
  expect(reservation?.budgets.map(({ scope, subject }) => [scope, subject])).toEqual([
    ['agent', 'bot'],
    ['mandate', 'p'],
  ]);
  expect(checks).toContainEqual(
    expect.objectContaining({ check: 'mandate-rate', evidence: expect.objectContaining({ calls: 2 }) }),
  );
});
