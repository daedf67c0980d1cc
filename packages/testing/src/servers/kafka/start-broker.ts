/** One broker of a cluster, with its settings, its formatted storage and its process. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Server, startServer } from '../server-process.ts';
import { formatStorage } from './format-storage.ts';
import { installedKafka } from './install-kafka.ts';
import { withSharedClasses } from './shared-classes.ts';

export type KafkaBroker = Server & {
  /** The broker's `node.id`: 1, 2 or 3. Clients identify leaders and replicas by this id. */
  readonly nodeId: number;
  /** The address, such as 127.0.0.1:40123. */
  readonly address: string;
};

export type BrokerPlace = {
  readonly nodeId: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly folder: string;
  /** A second listener. `advertised` is the port that clients are told: the port of a proxy to the listener. */
  readonly via?: { readonly port: number; readonly advertised: number };
};

export type ClusterSettings = {
  readonly clusterId: string;
  readonly places: readonly BrokerPlace[];
  readonly config: Readonly<Record<string, string>>;
  /** Additional arguments for formatting the storage. */
  readonly formatting: readonly string[];
};

/** Flags for a small machine: a small heap, one garbage collector thread, and no second compiler. */
const JVM = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];

export async function startBroker(place: BrokerPlace, cluster: ClusterSettings): Promise<KafkaBroker> {
  const kafka = await installedKafka();
  const properties = join(place.folder, 'server.properties');
  const settings = { ...settingsOf(place, cluster.places), ...cluster.config };
  await writeFile(
    properties,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const java = (flags: readonly string[] = []) => [...JVM, ...flags, '-cp', kafka.classpath];
  await formatStorage(kafka, JVM, {
    properties,
    data: dataOf(place),
    nodeId: place.nodeId,
    clusterId: cluster.clusterId,
    args: cluster.formatting,
  });
  const server = await withSharedClasses(kafka, { jvm: JVM, folder: place.folder }, (flags) =>
    startServer({
      command: 'java',
      args: [...java(flags), 'kafka.Kafka', properties],
      folder: place.folder,
      ready: /Kafka Server started/,
    }),
  );
  return Object.assign(server, { nodeId: place.nodeId, address: `127.0.0.1:${place.port}` });
}

function dataOf({ folder }: BrokerPlace): string {
  return join(folder, 'data');
}

function settingsOf(place: BrokerPlace, places: readonly BrokerPlace[]): Record<string, string> {
  const replicas = String(places.length);
  const inSync = String(Math.ceil((places.length + 1) / 2));
  const { via } = place;
  const listeners = (ownPort: number, viaPort: number | undefined) =>
    `PLAINTEXT://127.0.0.1:${ownPort}${viaPort === undefined ? '' : `,VIA://127.0.0.1:${viaPort}`}`;
  return {
    'process.roles': 'broker,controller',
    'node.id': String(place.nodeId),
    'controller.quorum.voters': places
      .map(({ nodeId, controllerPort }) => `${nodeId}@127.0.0.1:${controllerPort}`)
      .join(','),
    listeners: `${listeners(place.port, via?.port)},CONTROLLER://127.0.0.1:${place.controllerPort}`,
    'advertised.listeners': listeners(place.port, via?.advertised),
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,VIA:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataOf(place),
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': replicas,
    // This number of partitions is small, because the first member of the first group waits until all of these
    // partitions exist.
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'transaction.state.log.num.partitions': '4',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
    'group.initial.rebalance.delay.ms': '0',
    // A killed broker can join again only after its session has ended. The default is 9 s.
    'broker.session.timeout.ms': '4000',
    'broker.heartbeat.interval.ms': '500',
    // The default buffer would take a third of the heap.
    'log.cleaner.dedupe.buffer.size': String(16 * 1024 * 1024),
  };
}
