import type { Logger } from '@mandate/runtime';
import { topicUnfit } from '../errors.ts';
import { type Cluster, TOPIC_RESOURCE } from './client.ts';
import { type Connection, withBusErrors } from './connection.ts';
import { topicConfig } from './topic-config.ts';

/**
 * The setting for the number of replicas that must store a record before its acknowledgement. The value 1 causes only
 * a warning, because a cluster may have one broker.
 */
const IN_SYNC = 'min.insync.replicas';

/**
 * Checks that a topic has the settings that its records need. Fails before the first use: with wrong retention or
 * compaction, the topic would seem to work until a reader needs a deleted record.
 */
export async function checkTopic(
  connection: Connection,
  topic: string,
  withinMs: number,
  log: Logger,
): Promise<void> {
  const wanted = topicConfig(topic);
  const found = await withBusErrors(
    connection,
    (cluster) => describe(cluster, topic, [...Object.keys(wanted), IN_SYNC]),
    withinMs,
  );
  const wrong = Object.entries(wanted).flatMap(([setting, value]) => {
    const is = found.get(setting);
    return isFit(setting, is, value) ? [] : [{ setting, is: is ?? 'nothing', value }];
  });
  if (wrong.length === 0) {
    const replicas = Number(found.get(IN_SYNC));
    if (replicas < 2) log.warn({ topic, replicas }, `${IN_SYNC}: a record may be lost with one broker`);
    return;
  }
  throw topicUnfit(
    `topic ${topic}: ${wrong.map(({ setting, is, value }) => `${setting} is ${is} and must be ${value}`).join('; ')}`,
    `kafka-configs --alter --topic ${topic} --add-config ${wrong
      .map(({ setting, value }) => `${setting}=${value}`)
      .join(',')}`,
  );
}

async function describe(
  cluster: Cluster,
  topic: string,
  configNames: string[],
): Promise<ReadonlyMap<string, string>> {
  await cluster.addMultipleTargetTopics([topic]);
  const broker = await cluster.findBroker({ nodeId: cluster.getNodeIds()[0] ?? '' });
  const resource = { type: TOPIC_RESOURCE, name: topic, configNames };
  const { resources } = await broker.describeConfigs({ resources: [resource] });
  const entries = resources.flatMap(({ configEntries }) => configEntries);
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
}

/** True if the setting fits. Larger messages and a longer retention than wanted also fit. */
function isFit(setting: string, found: string | undefined, wanted: string): boolean {
  if (found === undefined || found === wanted) return found === wanted;
  switch (setting) {
    case 'max.message.bytes':
      return Number(found) >= Number(wanted);
    case 'retention.ms':
    case 'retention.bytes':
      return Number(found) < 0 || (Number(wanted) >= 0 && Number(found) >= Number(wanted));
    default:
      return false;
  }
}
