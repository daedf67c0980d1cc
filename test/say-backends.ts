/**
 * Prints, before the tests run, which log, ledger and audit they use. A reader of the output must see which server is
 * missing.
 */
import { createRequire } from 'node:module';
import { provideServers } from '@mandate/testing/servers';
import type { TestProject } from 'vitest/node';

const { version: chdb }: { version: string } = createRequire(import.meta.url)('chdb/package.json');

export default async function sayBackends(project: TestProject): Promise<undefined | (() => Promise<void>)> {
  console.log(`\nBackends of the tests of project "${project.name}". Node ${process.versions.node}.`);
  if (project.name === 'servers') return provideServers(project);
  console.log(
    `All embedded: log SQLite ${process.versions.sqlite} (node:sqlite), ledger in memory, ` +
      `audit ClickHouse in-process (chdb ${chdb}). No server of Kafka, Redis or ClickHouse is used.\n`,
  );
}
