import { type AuditClient, MIGRATIONS_DIRECTORY, migrate } from '../index.ts';

/** The data of one audit in a test. It is empty at first. Then it contains what the clients write. */
export type AuditUnderTest = {
  /** Opens another client of the same data. If the audit is embedded, close the previous client first. */
  open(): Promise<AuditClient>;
  /** Deletes the data. Close every client first. */
  dispose(): Promise<void>;
};

export type MakeAudit = () => Promise<AuditUnderTest>;

/** Returns an audit with its tables, for a group of tests. */
export async function withTables(make: MakeAudit): Promise<{ audit: AuditClient; end(): Promise<void> }> {
  const place = await make();
  const audit = await place.open();
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return {
    audit,
    async end() {
      await audit.close();
      await place.dispose();
    },
  };
}
