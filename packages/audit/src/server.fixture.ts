/** A ClickHouse server for one test file, and databases on it that nobody else uses. */
import { randomUUID } from 'node:crypto';
import { type ClickHouseOptions, type ClickHouseServer, startClickHouse } from '@mandate/testing';
import { afterAll, beforeAll } from 'vitest';
import type { AuditUnderTest } from './contract/audit-under-test.ts';
import { type AuditClient, openServerAudit, type ServerAuditOptions } from './index.ts';

const STARTING_MS = 60_000;

export type StartedServer = {
  readonly server: ClickHouseServer;
  /** A client, by default of the user who may do everything. */
  open(options?: Partial<ServerAuditOptions>): Promise<AuditClient>;
  emptyDatabase(): Promise<AuditUnderTest>;
};

/** Started before the tests of the file, and gone after them. */
export function startedServer(options: ClickHouseOptions = {}): StartedServer {
  let running: ClickHouseServer | undefined;
  beforeAll(async () => {
    running = await startClickHouse(options);
  }, STARTING_MS);
  afterAll(() => running?.stop());

  const started: StartedServer = {
    get server() {
      if (running === undefined) throw new Error('the server starts before the first test, and not earlier');
      return running;
    },
    open: (own) =>
      openServerAudit({
        url: started.server.url,
        username: 'default',
        password: '',
        database: 'default',
        ...own,
      }),
    async emptyDatabase() {
      const database = `test_${randomUUID().replaceAll('-', '')}`;
      const run = async (sql: string) => {
        const audit = await started.open();
        await audit.command(sql);
        await audit.close();
      };
      await run(`CREATE DATABASE ${database}`);
      return {
        open: () => started.open({ database }),
        dispose: () => run(`DROP DATABASE ${database} SYNC`),
      };
    },
  };
  return started;
}
