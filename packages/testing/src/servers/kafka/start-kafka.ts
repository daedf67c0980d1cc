/**
 * A Kafka cluster of one or three brokers, with its own folders and ports. Each broker is a controller too (KRaft).
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFreePorts } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { randomId } from './format-storage.ts';
import { type Secured, scramUsers, securedConfig } from './secured-broker.ts';
import { type BrokerPlace, type ClusterSettings, type KafkaBroker, startBroker } from './start-broker.ts';

export type KafkaOptions = {
  readonly brokers?: 1 | 3;
  /** More settings of server.properties for every broker. They override the settings made here. */
  readonly config?: Readonly<Record<string, string>>;
  /** Accepts only clients with TLS, a password and a certificate of the same authority. */
  readonly secured?: Secured;
  /**
   * Starts a proxy to the second listener of a broker. `port` is the port of the listener. The listener tells clients
   * the port of the proxy.
   */
  readonly via?: (port: number) => Promise<{ readonly port: number }>;
};

export type KafkaCluster = AsyncDisposable & {
  /** The addresses of the brokers, in the form that kafkajs needs. */
  readonly brokers: string[];
  /** The addresses of the proxies that `via` started. */
  readonly through: string[];
  /** The brokers, for tests that stop or kill one of them. */
  readonly nodes: readonly KafkaBroker[];
  /** Ends every broker and removes all data. */
  stop(): Promise<void>;
};

/** The ports of a broker: its own, its controller's, and the port of `via`. */
const PORTS_A_BROKER = 3;

function told({ secured, config }: KafkaOptions): Pick<ClusterSettings, 'config' | 'formatting'> {
  if (secured === undefined) return { config: config ?? {}, formatting: [] };
  return { config: { ...securedConfig(secured), ...config }, formatting: scramUsers(secured) };
}

/** @throws MissingServerError if there is no Java, or if the jars cannot be fetched */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaCluster> {
  const count = options.brokers ?? 1;
  const clusterId = randomId();
  let through: string[] = [];
  const nodes = await onFreePorts(PORTS_A_BROKER * count, async (ports) => {
    const places = await Promise.all(
      Array.from({ length: count }, async (_, index): Promise<BrokerPlace> => {
        const [port = 0, controllerPort = 0, viaPort = 0] = ports.slice(PORTS_A_BROKER * index);
        const way = await options.via?.(viaPort);
        const folder = await mkdtemp(join(tmpdir(), 'mandate-kafka-'));
        return {
          ...{ nodeId: index + 1, port, controllerPort, folder },
          ...(way && { via: { port: viaPort, advertised: way.port } }),
        };
      }),
    );
    through = places.flatMap(({ via }) => (via ? [`127.0.0.1:${via.advertised}`] : []));
    // All brokers start at once, because a broker is ready only when most controllers are ready.
    const started = await Promise.allSettled(
      places.map((place) => startBroker(place, { clusterId, places, ...told(options) })),
    );
    const failure = started.find(({ status }) => status === 'rejected');
    const running = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    if (failure?.status !== 'rejected') return running;
    await Promise.all(running.map((broker) => broker.kill()));
    await Promise.all(places.map(({ folder }) => removeFolder(folder)));
    throw failure.reason;
  });

  async function stop(): Promise<void> {
    // The brokers are killed, because their data is no longer needed, and an orderly end takes seconds without most
    // brokers.
    await Promise.all(nodes.map((broker) => broker.kill()));
    await Promise.all(nodes.map(({ folder }) => removeFolder(folder)));
  }

  const brokers = nodes.map(({ address }) => address);
  return { brokers, through, nodes, stop, [Symbol.asyncDispose]: stop };
}
