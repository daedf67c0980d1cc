/** Says, before the tests that need any, which log, ledger and audit they run on: one that is absent must be seen. */
import { createRequire } from 'node:module';

const { version: chdb }: { version: string } = createRequire(import.meta.url)('chdb/package.json');

export default function sayBackends(): void {
  console.log(
    `\nBackends of these tests, all embedded: log SQLite ${process.versions.sqlite} (node:sqlite), ` +
      `ledger in memory, audit ClickHouse in-process (chdb ${chdb}). Node ${process.versions.node}. ` +
      'No server of Kafka, Redis or ClickHouse is used.\n',
  );
}
