/**
 * Sets the wall clock an hour ahead for one request, and then back. Until the clock has caught up, the ledger's time
 * stands still. The log's time must stand still too. Otherwise every request would be past its deadline for an hour,
 * in this process and after a restart.
 */

import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { startDecider } from '@mandate/decider';
import { restoreLedger } from '@mandate/ledger-log';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { manualClock, monotonic, silentLogger } from '@mandate/runtime';
import { agentKey, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

const HOUR_MS = 3_600_000;
const log = silentLogger();

test('a clock that was an hour ahead for a moment makes no later request late, even after a restart', async () => {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log, clock });
  onTestFinished(() => bus.close());
  const loaded = loadMandates('version: 1\nid: everybody\nagents: ["*"]\n');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const control = () => mandatesOfFile(loaded.mandates, 1);
  const start = async () => {
    const ledgersClock = monotonic(clock);
    const { ledger } = await restoreLedger({ bus, clock: ledgersClock, log });
    const metrics = createMetrics({ service: 'test' });
    return startDecider({
      bus,
      ledger,
      log,
      metrics,
      clock: ledgersClock,
      control,
      redact: (action) => action,
      deadlines: true,
    });
  };
  const ask = (id: string, agents: readonly string[]) =>
    bus.append(
      TOPICS.actions,
      agents.map((agentId) => ({
        key: agentKey('default', agentId),
        value: JSON.stringify({
          event: 'action.requested',
          action: { id, agentId, type: 'tool_call', tool: 'look' },
        }),
      })),
    );
  const everybody = Array.from({ length: 20 }, (_, at) => `agent-${at}`);

  const decider = await start();
  clock.advance(HOUR_MS);
  await ask('ahead', ['agent-0']);
  await decider.caughtUp();
  clock.advance(-HOUR_MS);
  await ask('set-right', everybody);
  await decider.caughtUp();
  await decider.stop();

  const next = await start();
  await ask('restarted', everybody);
  await next.caughtUp();
  await next.stop();

  const codes = new Map<string, number>();
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const { value } of records) {
        const record = readDecisionsRecord(value);
        if (record.event !== 'action.decided') continue;
        const { actionId, code } = record.decision;
        codes.set(`${actionId} ${code}`, (codes.get(`${actionId} ${code}`) ?? 0) + 1);
      }
    },
  });
  await reader.caughtUp;
  await reader.stop();
  expect(Object.fromEntries(codes)).toEqual({
    'ahead ALLOWED': 1,
    'set-right ALLOWED': 20,
    'restarted ALLOWED': 20,
  });
});
