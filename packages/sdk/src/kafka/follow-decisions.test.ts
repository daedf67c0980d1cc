import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type Action, agentKey, type Decision, type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { buildDecision, temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { FollowedDecisions, type LoggedKill } from './follow-decisions.ts';

const DECISION = buildDecision(1, { appendedAtMs: Date.parse('2026-03-01T12:00:00Z') });
const ASK = '2026-03-01T12:00:00.000123456789Z';

async function scene() {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  const kills: LoggedKill[] = [];
  const decisions = new FollowedDecisions(DECISION.tenant, (kill) => kills.push(kill));
  await decisions.start(bus);
  onTestFinished(async () => {
    await decisions.stop();
    await bus.close();
  });
  const append = (...records: DecisionsRecord[]) =>
    bus.append(
      TOPICS.decisions,
      records.map((record) => ({
        key: agentKey(
          DECISION.tenant,
          record.event === 'action.decided' ? record.decision.agentId : DECISION.agentId,
        ),
        partition: 0,
        value: JSON.stringify(record),
      })),
    );
  const waitFor = (facts: Partial<Action>) =>
    decisions.decisionOf({ ...DECISION.action, id: DECISION.actionId, ...facts } as Action);
  return { append, decisions, kills, waitFor, waiting: waitFor({ requestedAt: ASK }) };
}

function decided(facts: Partial<Decision>): DecisionsRecord {
  return { event: 'action.decided', decision: { ...DECISION, requestedAt: ASK, ...facts } };
}

/** The mandate of a sub-agent of `boss`. */
const OF_BOSS = {
  ...{ id: 'bot', version: 1, hash: 'none', rules: [] },
  policies: ['base@1 of boss'],
} as unknown as Decision['mandate'];

const begins = (id: string): DecisionsRecord => ({
  event: 'ledger.epoch',
  epoch: { id, generation: 7, previous: null, reason: 'test', at: '2026-01-01T00:00:00Z' },
});

test('accepts only the first decision about its own request, attempt and tenant', async () => {
  const { append, waiting } = await scene();
  await append(
    decided({ id: 'dec_other', requestedAt: '2026-03-01T12:00:00.000Z' }),
    decided({ id: 'dec_attempt', attempt: 2 }),
    decided({ id: 'dec_tenant', tenant: 'globex' }),
    decided({ id: 'dec_first' }),
    decided({ id: 'dec_repeat', code: 'DUPLICATE_ACTION', verdict: 'BLOCK' }),
  );
  expect((await waiting.decision).id).toBe('dec_first');
});

test('accepts no decision of a ledger that was replaced before the decision', async () => {
  const { append, waiting } = await scene();
  await append(
    begins('ep_new'),
    decided({ id: 'dec_void', ledgerEpoch: 'ep_old' }),
    decided({ id: 'dec_valid', ledgerEpoch: 'ep_new' }),
  );
  expect((await waiting.decision).id).toBe('dec_valid');
});

test('ends if a record cannot be read, because it could make the next decision void', async () => {
  const { append, waiting } = await scene();
  const unknown = { event: 'decisions.regrouped' } as unknown as DecisionsRecord;
  await append(unknown, decided({}));
  await expect(waiting.decision).rejects.toThrow();
});

test('reports kills of its tenant and of everything, and learns sub-agents from decisions', async () => {
  const { append, decisions, waiting, kills } = await scene();
  const { agentId, tenant } = DECISION;
  const kill = (target: LoggedKill['target'], revision: number): DecisionsRecord => ({
    event: 'agent.killed',
    kill: {
      ...{
        id: `kill_${revision}`,
        by: 'ann',
        reason: 'runaway',
        at: '2026-01-01T00:00:00Z',
        target,
        revision,
      },
      ...{ ledgerEpoch: DECISION.ledgerEpoch, ledgerSequences: {}, open: [], openCount: 0 },
    },
  });
  await append(
    kill({ scope: 'tenant', tenant: 'globex' }, 1),
    kill({ scope: 'subtree', tenant, agentId: 'boss' }, 2),
    kill({ scope: 'all' }, 3),
    decided({ mandate: OF_BOSS }),
  );
  await waiting.decision;
  expect(kills.map(({ target }) => target.scope)).toEqual(['subtree', 'all']);
  expect(decisions.descendantsOf('boss')).toEqual([agentId]);
});

test('remembers the ancestors of a bounded number of agents, and forgets the oldest', async () => {
  const { append, decisions, waitFor } = await scene();
  const agents = Array.from({ length: 10_001 }, (_, number) => `agent-${number}`);
  const requests = agents.map((agentId, number) => ({
    agentId,
    requestedAt: `2026-03-01T12:00:00.${String(number).padStart(9, '0')}Z`,
  }));
  const waits = requests.map(waitFor);
  await append(...requests.map((request) => decided({ ...request, mandate: OF_BOSS })));
  await Promise.all(waits.map(({ decision }) => decision));
  expect(decisions.descendantsOf('boss')).toEqual(agents.slice(1));
});
