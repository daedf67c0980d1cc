import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../temporary-folder.ts';
import { installedKcat } from './install-kcat.ts';

type KeyedRecord = {
  /** The key of the record. It must not contain a tab or a line feed. */
  readonly key: string;
  /** The value of the record. It must not contain a line feed: JSON on one line is fine. */
  readonly value: string;
};

/**
 * Publishes records, compressed with zstd, to the partitions that Kafka's own producer would choose. Resolves once
 * all are sent.
 */
export async function publishWithKcat(
  brokers: readonly string[],
  topic: string,
  records: readonly KeyedRecord[],
): Promise<void> {
  const { command, env } = await installedKcat();
  const file = join(temporaryFolder(), 'records');
  await writeFile(file, records.map(({ key, value }) => `${key}\t${value}\n`).join(''));
  // Idempotence keeps an agent's records in order if a batch is sent again.
  const settings = ['-X', 'partitioner=murmur2_random', '-X', 'enable.idempotence=true', '-z', 'zstd'];
  const args = ['-P', '-b', brokers.join(','), '-t', topic, ...settings, '-K', '\t', '-l', file];
  await promisify(execFile)(command, args, { env: { ...process.env, ...env } });
}
