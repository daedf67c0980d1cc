import { topicUnfit } from '../errors.ts';
import { type Cluster, TOPIC_RESOURCE } from './client.ts';
import { asking, type Connection } from './connection.ts';
import { topicConfig } from './topic-config.ts';

/**
 * Compares a topic with what its records ask for. One that forgets decisions, or keeps the last one of an agent only,
 * would look well until someone asks for what is gone: so it is an error before the first use.
 */
export async function checkTopic(connection: Connection, topic: string, withinMs: number): Promise<void> {
  const wanted = topicConfig(topic);
  const found = await asking(
    connection,
    (cluster) => describe(cluster, topic, Object.keys(wanted)),
    withinMs,
  );
  const wrong = Object.entries(wanted).flatMap(([setting, value]) => {
    const is = found.get(setting);
    return isFit(setting, is, value) ? [] : [{ setting, is: is ?? 'nothing', value }];
  });
  if (wrong.length === 0) return;
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

/** More room and longer memory than asked for harm nobody. */
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
