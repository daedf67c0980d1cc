import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import type { Bus } from '../../port.ts';
import { createSqliteBus, type SqliteBusOptions } from '../create-sqlite-bus.ts';

/**
 * The log of one test in its own folder. It remembers every client that the test opened, and closes them at the end.
 */
export class Scratch {
  folder = '';
  readonly #opened: Bus[] = [];

  async make(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'mandate-bus-'));
  }

  get path(): string {
    return join(this.folder, 'log.db');
  }

  async open(fields: Partial<SqliteBusOptions> = {}): Promise<Bus> {
    const bus = await createSqliteBus({ path: this.path, log: silentLogger(), ...fields });
    this.#opened.push(bus);
    return bus;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((bus) => bus.close()));
    await rm(this.folder, { recursive: true });
  }
}
