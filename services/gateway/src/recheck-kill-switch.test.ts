import { createMemoryLedger } from '@mandate/ledger';
import { silentLogger } from '@mandate/runtime';
import { type Decision, wireTime } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { buildDecision, buildReservation } from '@mandate/testing';
import { expect, test } from 'vitest';
import { PendingReplies } from './answers/pending-replies.ts';
import { CommandJournal } from './journal/command-journal.ts';
import { gatewayMeasures } from './measures.ts';
import { UndecidedRecords } from './publish/undecided-records.ts';
import { recheckKillSwitch } from './recheck-kill-switch.ts';

test('withholds an ALLOW if the subtree of an ancestor at the time of the decision was killed', async () => {
  const ledger = createMemoryLedger({ clock: () => 2_000, epoch: 'ep-1' });
  const log = silentLogger();
  const metrics = createMetrics({ service: 'test' });
  const replies = new PendingReplies({ maxWaiting: 1, maxRecent: 1, maxRecentBytes: 1 });
  const journal = new CommandJournal({ bus: { append: async () => [] }, log, maxUnlogged: 10 });
  const gateway = {
    ledger,
    log,
    measures: gatewayMeasures(metrics, { replies, journal, undecided: new UndecidedRecords(2) }),
  };
  const allowed = (...ancestors: string[]): Decision => {
    const budgets = ['bot', ...ancestors].map((subject) => ({
      ...{
        kind: 'budget' as const,
        scope: 'agent' as const,
        id: 'total',
        windowMs: null,
        maxMicros: null,
        subject,
      },
      ...(subject !== 'bot' && { policy: `p@1 of ${subject}`, ancestor: subject }),
    }));
    const reservation = buildReservation(0, { budgets });
    return buildDecision(1, { appendedAtMs: 1_000, decidedAt: wireTime(1_000), reservation });
  };
  const decisions = [allowed(), allowed('mid', 'lead'), allowed('mid')];
  expect(await recheckKillSwitch(gateway, 'acme', decisions)).toEqual([null, null, null]);
  await ledger.kill(
    { scope: 'subtree', tenant: 'acme', agentId: 'lead' },
    { id: 'k', by: 'op', reason: 'stop' },
  );
  expect(await recheckKillSwitch(gateway, 'acme', decisions)).toEqual([
    null,
    'allowed, but everything below lead was killed after that: stop',
    null,
  ]);
});
