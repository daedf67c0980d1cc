import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMandateError } from '@mandate/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { onLog } from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  type ControlEvent,
  identity,
  MIGRATIONS_DIRECTORY,
  migrate,
  searchControlEvents,
} from '../index.ts';
import { readMigrations } from '../migration-files.ts';
import { controlEventRowOf } from '../rows/control-event-row.ts';
import type { AuditUnderTest, MakeAudit } from './audit-under-test.ts';

export function migrating(make: MakeAudit): void {
  const ALL = readMigrations(MIGRATIONS_DIRECTORY).map(({ name }) => name);
  const NEXT = `${String(ALL.length + 1).padStart(4, '0')}_add_notes.sql`;

  let root: string;
  let directory: string;
  let place: AuditUnderTest;
  let audit: AuditClient;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'mandate-migrations-'));
    directory = join(root, 'migrations');
    cpSync(MIGRATIONS_DIRECTORY, directory, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  // The first test gets an empty database, and leaves it with every migration for the next tests. Only the last three
  // tests leave another history.
  beforeAll(open);
  afterAll(close);

  async function open(): Promise<void> {
    place = await make();
    audit = await place.open();
  }
  async function close(): Promise<void> {
    await audit.close();
    await place.dispose();
  }
  /** Replaces the database with an empty one. */
  async function replace(): Promise<void> {
    await close();
    await open();
  }

  function applied(): Promise<unknown> {
    return migrate(audit, directory).catch((error: unknown) => (isMandateError(error) ? error.code : error));
  }

  test('applies every migration to an empty database, once', async () => {
    expect(await applied()).toEqual(ALL);
    expect(await applied()).toEqual([]);
  });

  test('rejects an edited migration', async () => {
    await applied();
    const file = join(directory, '0002_create_settlements.sql');
    writeFileSync(file, readFileSync(file, 'utf8').replace('TTL: none.', 'TTL: none!'));
    expect(await applied()).toBe('AUDIT_MIGRATION_EDITED');
  });

  test('rejects a database that a newer binary migrated', async () => {
    await applied();
    rmSync(join(directory, ALL.at(-1) ?? ''));
    expect(await applied()).toBe('AUDIT_SCHEMA_NEWER');
  });

  test('changes nothing if it rejects a history', async () => {
    await applied();
    const file = join(directory, '0001_create_decisions.sql');
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
    writeFileSync(join(directory, NEXT), 'CREATE TABLE notes (x UInt8) ENGINE = Memory;\n');
    expect(await applied()).toBe('AUDIT_MIGRATION_EDITED');
    const tables = await audit.query('SHOW TABLES', {}, z.object({ name: z.string() }));
    expect(tables.map(({ name }) => name)).not.toContain('notes');
  });

  test('repeats a migration safely if it stopped halfway or if another process runs it at the same time', async () => {
    await applied();
    await audit.command('TRUNCATE TABLE migrations');
    expect(await applied()).toEqual(ALL);

    await audit.command('TRUNCATE TABLE migrations');
    let byTheOther: unknown;
    const overtaken: AuditClient = {
      ...audit,
      // The other migrator runs every migration after this migrator has read the history, and before this migrator
      // applies any.
      async query(...asked) {
        const history = await audit.query(...asked);
        if (asked[0].includes('FROM migrations')) byTheOther = await applied();
        return history;
      },
    };
    expect([await migrate(overtaken, directory), byTheOther]).toEqual([ALL, ALL]);

    await audit.command('TRUNCATE TABLE migrations');
    // Each migrator skips the migrations that the other one has already applied.
    expect(await Promise.all([applied(), applied()])).toEqual([expect.any(Array), expect.any(Array)]);
    expect(
      await audit.query('SELECT count() AS n FROM migrations FINAL', {}, z.object({ n: z.int() })),
    ).toEqual([{ n: ALL.length }]);
  });

  test('keeps the identity of existing tables, and gives new tables another identity', async () => {
    await applied();
    const before = await ask(audit, identity, {});
    await audit.command('TRUNCATE TABLE migrations');
    await applied();
    expect(await ask(audit, identity, {})).toEqual(before);
    await replace();
    await applied();
    expect(await ask(audit, identity, {})).not.toEqual(before);
  });

  test('applies only new migrations, which stay applied when the data is opened again', async () => {
    await applied();
    writeFileSync(join(directory, NEXT), 'CREATE TABLE IF NOT EXISTS notes (x UInt8) ENGINE = Memory;\n');
    expect(await applied()).toEqual([NEXT]);
    await audit.close();
    audit = await place.open();
    expect(await applied()).toEqual([]);
  });

  test('rejects a history with a gap', async () => {
    await applied();
    await audit.command('DELETE FROM migrations WHERE number = 3 SETTINGS mutations_sync = 2');
    expect(await applied()).toBe('AUDIT_MIGRATION_GAP');
  });

  test('fills the columns of approvals that were recorded before these columns existed', async () => {
    await replace();
    for (const name of ALL.slice(6)) rmSync(join(directory, name));
    await applied();
    const request = { tenant: 't', agentId: 'x', actionId: 'act-1', digest: 'd', answer: 'denied' as const };
    const operator = { id: 'apr-1', by: 'ops', reason: 'r', at: '2026-02-01T00:00:00.000Z' };
    const ledger = { ledgerEpoch: 'e', ledgerSequence: 5 };
    const approval = { ...operator, ...request, ...ledger, expiresAt: operator.at };
    const record: ControlEvent = { event: 'approval.recorded', approval };
    const row = controlEventRowOf({ record, ...onLog(record, 1) });
    // Makes the row as an older recorder wrote it, without the newer columns.
    const { subject: _, policy_version: __, revision: ___, refusal: ____, ...older } = row;
    await audit.insert('control_events', [older]);
    cpSync(MIGRATIONS_DIRECTORY, directory, { recursive: true });
    expect(await applied()).toEqual(ALL.slice(6));
    expect(await ask(audit, searchControlEvents, { tenant: 't' })).toMatchObject([
      { id: 'apr-1', actionId: 'act-1', digest: 'd', answer: 'denied' },
    ]);
  });
}
