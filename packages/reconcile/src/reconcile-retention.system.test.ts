/** Reconciles a plane with its log. The plane drops past months from its audit, and the log contains all months. */
import { join } from 'node:path';
import {
  type AuditClient,
  dropMonths,
  MIGRATIONS_DIRECTORY,
  migrate,
  oldMonths,
  openEmbeddedAudit,
} from '@mandate/audit';
import { createSqliteBus } from '@mandate/bus';
import { createMemoryLedger } from '@mandate/ledger';
import { foldLog } from '@mandate/ledger-log';
import { type KeepMonths, startRecorder } from '@mandate/recorder';
import { silentLogger, systemClock } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { LOG, OF_ALL, OF_KEPT } from './before-and-after-february.fixture.ts';
import { auditSource, ledgerSource, reconcileSources } from './reconcile-sources.ts';

const MARCH = Date.UTC(2026, 2);

test('reports rows as drift only if they are missing in the months that are kept', async () => {
  const folder = temporaryFolder();
  const log = silentLogger();
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  await bus.append(
    TOPICS.decisions,
    LOG.map((record) => ({ key: null, partition: 0, value: JSON.stringify(record) })),
  );
  const audit = await openEmbeddedAudit({ path: join(folder, 'audit') });
  onTestFinished(() => audit.close());
  await migrate(audit, MIGRATIONS_DIRECTORY);
  const { fold } = await foldLog(bus);
  const ledger = createMemoryLedger({ clock: systemClock, epoch: 'ep-1', state: fold.state });

  let broken: unknown;
  const drift = async () => {
    const sources = { bus, ledger: ledgerSource(ledger), audit: auditSource(audit) };
    const { driftMicros, laws } = await reconcileSources(sources, ['acme']);
    broken = laws.flatMap((one) => (one.broken > 0 ? [[one.law, one.broken]] : []));
    return driftMicros;
  };
  const record = async (keepMonths?: KeepMonths) => {
    const metrics = createMetrics({ service: 'test' });
    const recorder = await startRecorder({ bus, audit, log, metrics, clock: () => MARCH, keepMonths });
    await recorder.caughtUp();
    await recorder.stop();
  };
  expect(await drift()).toBe(OF_ALL);
  await record((tenant) => (tenant === 'acme' ? 1 : null));
  expect(await drift()).toBe(0);
  expect(broken).toEqual([]);
  await audit.command("ALTER TABLE decisions DELETE WHERE action_id = 'act-2' SETTINGS mutations_sync = 1");
  expect(await drift()).toBe(900_000);
  expect(broken).toEqual([
    ['audit-rows', 1],
    ['charges', 1],
  ]);

  await throwAway(audit);
  await record();
  expect(await drift()).toBe(0);
  await dropMonths(audit, await oldMonths(audit, { keepMonths: 2, nowMs: MARCH }));
  expect(await drift()).toBe(0);
  await audit.command('TRUNCATE TABLE decisions');
  await audit.command('TRUNCATE TABLE control_events');
  expect(await drift()).toBe(OF_KEPT);
});

/** Drops the tables, so that the next recorder fills new tables with another identity. */
async function throwAway(audit: AuditClient): Promise<void> {
  for (const table of ['decisions', 'settlements', 'control_events', 'kept_from', 'identity'])
    await audit.command(`TRUNCATE TABLE ${table}`);
  await audit.command('INSERT INTO identity SELECT toString(generateUUIDv4()), now64(3)');
}
