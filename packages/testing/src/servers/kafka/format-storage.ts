/**
 * Formats the storage of a broker. The formatter is a JVM and slow. Two results differ only in their ids, unless the
 * broker has its own users. So the first broker on a machine formats a template, and each broker gets a copy with its
 * own ids.
 */
import { randomBytes } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from '../cache-folder.ts';
import { runTool } from '../run-tool.ts';
import type { KafkaJars } from './install-kafka.ts';

/** The file with the ids of a storage. */
const IDS = 'meta.properties';

export type Formatting = {
  /** The path of server.properties of the broker. */
  readonly properties: string;
  /** The path of the folder that `log.dirs` names. */
  readonly data: string;
  readonly nodeId: number;
  readonly clusterId: string;
  /** Additional arguments, such as those that add users. */
  readonly args: readonly string[];
};

/** @param jvm the flags of every broker */
export async function formatStorage(
  kafka: KafkaJars,
  jvm: readonly string[],
  formatting: Formatting,
): Promise<void> {
  if (formatting.args.length > 0) return format(kafka, jvm, formatting);
  const { data, nodeId, clusterId } = formatting;
  const template = await cachedFolder(`kafka-${kafka.version}-storage`, async (into) => {
    await format(kafka, jvm, formatting);
    await cp(data, into, { recursive: true });
  });
  await cp(template, data, { recursive: true, force: false });
  const ids = { version: '1', 'cluster.id': clusterId, 'node.id': nodeId, 'directory.id': randomId() };
  const lines = Object.entries(ids).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(data, IDS), lines.join(''));
}

async function format(
  kafka: KafkaJars,
  jvm: readonly string[],
  { properties, clusterId, args }: Formatting,
): Promise<void> {
  const tool = [
    'kafka.tools.StorageTool',
    'format',
    // Option and value are one argument, because an id may begin with a dash.
    `--cluster-id=${clusterId}`,
    '--config',
    properties,
    ...args,
  ];
  await runTool('java', [...jvm, '-cp', kafka.classpath, ...tool], {
    orInstall: 'its storage cannot be formatted',
  });
}

/** Returns sixteen random bytes in base64, as Kafka's ids. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}
