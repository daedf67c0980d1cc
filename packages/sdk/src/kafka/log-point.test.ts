import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { ReadAction } from '../decision-point.ts';
import type { Kill } from '../types.ts';
import { logPoint } from './log-point.ts';

test('hears kills again after the reader has ended, even if no call follows', async () => {
  const path = join(temporaryFolder(), 'log.sqlite');
  const open = () => createSqliteBus({ path, log: silentLogger() });
  const log = await open();
  const errors: unknown[] = [];
  const point = logPoint(
    { tenant: 'default', timeoutMs: 100, open, topic: TOPICS.actions },
    {
      readAction: (json): ReadAction => ({ ok: true, value: JSON.parse(json) }),
      addMandate: () => {},
      onError: (error) => errors.push(error),
    },
  );
  onTestFinished(async () => {
    await point.close({ timeoutMs: 1 });
    await log.close();
  });
  const append = (value: string) => log.append(TOPICS.decisions, [{ key: 'default/bot', value }]);
  const kills: Kill[] = [];
  point.kills.onKill((kill) => kills.push(kill));
  const record = JSON.stringify({
    action: { id: 'a', agentId: 'bot', type: 'tool_call', tool: 'pay', args: {} },
  });
  const asked = point.readAction(record, record);
  // The call opens the reader. No plane answers.
  await expect(asked.ok && point.decide(asked.value)).rejects.toMatchObject({ code: 'KAFKA_UNAVAILABLE' });
  await append('no record');
  await expect.poll(() => errors).toHaveLength(1);
  let revision = 0;
  await expect
    .poll(async () => {
      revision += 1;
      await append(JSON.stringify(killOf(revision)));
      return kills.length;
    })
    .toBeGreaterThan(0);
  expect(kills[0]).toMatchObject({ agentId: 'bot', reason: 'runaway' });
});

function killOf(revision: number): DecisionsRecord {
  const target = { scope: 'agent', tenant: 'default', agentId: 'bot' } as const;
  const at = '2026-03-01T12:00:00Z';
  const ledger = { ledgerEpoch: 'ep_1', ledgerSequences: {}, openCount: 0, open: [] };
  const kill = { id: `kill_${revision}`, target, revision, reason: 'runaway', by: 'operator', at, ...ledger };
  return { event: 'agent.killed', kill };
}
