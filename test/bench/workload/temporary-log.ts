import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bus, createSqliteBus, type Outgoing } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';

/** A folder that is deleted at the end of the block that made it. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'mandate-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** An empty SQLite log that is deleted at the end of the block that made it. */
export async function temporaryLog(): Promise<AsyncDisposable & { bus: Bus }> {
  const folder = temporaryFolder();
  const bus = await createSqliteBus({ path: join(folder.path, 'log.sqlite'), log: silentLogger() });
  return {
    bus,
    async [Symbol.asyncDispose]() {
      await bus.close();
      folder[Symbol.dispose]();
    },
  };
}

const BATCH = 500;

export async function appendAll(bus: Bus, topic: string, records: readonly Outgoing[]): Promise<void> {
  for (let from = 0; from < records.length; from += BATCH) {
    await bus.append(topic, records.slice(from, from + BATCH));
  }
}
