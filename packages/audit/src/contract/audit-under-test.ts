import { type AuditClient, MIGRATIONS_DIRECTORY, migrate } from '../index.ts';

/** The place where one implementation keeps one audit. It is empty at first and then holds what its clients write. */
export type AuditUnderTest = {
  /** Opens another client of the same data. The client before it must be closed if the audit is embedded. */
  open(): Promise<AuditClient>;
  /** Deletes the data. Every client must be closed before. */
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
