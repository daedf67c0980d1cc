import { type AuditClient, MIGRATIONS_DIRECTORY, migrate } from '../index.ts';

/** Where one implementation keeps one audit: empty at first, then whatever its clients put there. */
export type AuditUnderTest = {
  /** Another client of the same data. An embedded one must have been closed before. */
  open(): Promise<AuditClient>;
  /** Takes the data away; every client was closed before. */
  dispose(): Promise<void>;
};

export type MakeAudit = () => Promise<AuditUnderTest>;

/** One with its tables, for a group of tests. */
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
