import { describe, expect, test } from 'vitest';
import { Alarms } from './alarms.ts';
import { DEFAULT_ALERTING } from './alert-rules.ts';
import { killed as killRecord, logged } from './decided.fixture.ts';
import { brief, evaluatorOn, raisedBy } from './evaluated.fixture.ts';
import { killed } from './kill-rule.ts';

test.each([
  [0, '0 actions were open.'],
  [1, '1 action was open.'],
  [2, '2 actions were open.'],
])('says that %i actions were open', (openCount, words) => {
  const record = killRecord(1, { scope: 'all' });
  if (record.event !== 'agent.killed') throw new Error('expected a kill');
  record.kill.openCount = openCount;
  expect(killed(record).message).toBe(`Everything was killed by key:ops: it loops. ${words}`);
});

describe('the rule for kill switches', () => {
  const everything = killRecord(1, { scope: 'all' });
  const agent = killRecord(2, { scope: 'agent', tenant: 'acme', agentId: 'bot' });

  test('raises one alert for a kill, although every partition has its record', () => {
    const evaluator = evaluatorOn(new Alarms(), DEFAULT_ALERTING);
    const raised = [0, 1, 2].flatMap((partition) => evaluator.evaluate([logged(everything, 0, partition)]));
    expect(brief([...raised, ...evaluator.evaluate([logged(agent, 1)])])).toEqual([
      'alert.raised kill kill-1',
      'alert.raised kill kill-2',
    ]);
  });

  test('says who was killed, with which key, and why', () => {
    const [alert] = raisedBy([agent]).map(({ alert }) => alert);
    expect(alert).toMatchObject({
      tenant: 'acme',
      message: 'The agent bot was killed by key:ops: it loops. 0 actions were open.',
      facts: { scope: 'agent', agentId: 'bot', by: 'key:ops', reason: 'it loops' },
      record: { partition: 0, offset: 0 },
    });
    expect(raisedBy([everything])[0]?.alert.tenant).toBeNull();
  });
});
