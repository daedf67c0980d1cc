/**
 * How to run each server in a container. The servers have no users and exist only for the test run, like local
 * servers.
 */
import { randomBytes } from 'node:crypto';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { onFreePorts } from '../free-port.ts';
import type { ServerKind, SharedServer } from '../offer.ts';

type StartContainer = (image: string, engineHost: string) => Promise<SharedServer>;

export const CONTAINERS: Readonly<Record<ServerKind, StartContainer>> = { redis, kafka, clickhouse };

async function redis(image: string): Promise<SharedServer> {
  const container = await new OwnMachineContainer(image)
    .withCommand(['redis-server', '--save', '', '--appendonly', 'no', '--protected-mode', 'no'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start();
  return served(container, `redis://${container.getHost()}:${container.getMappedPort(6379)}`);
}

async function clickhouse(image: string): Promise<SharedServer> {
  const container = await new OwnMachineContainer(image)
    // This server has only the user `default`, with all rights and without a password.
    .withEnvironment({ CLICKHOUSE_SKIP_USER_SETUP: '1' })
    .withExposedPorts(8123)
    .withWaitStrategy(Wait.forHttp('/ping', 8123))
    .start();
  return served(container, `http://${container.getHost()}:${container.getMappedPort(8123)}`);
}

/** Starts a broker. A broker tells clients its address, so its port must be known before the start. */
function kafka(image: string, engineHost: string): Promise<SharedServer> {
  return onFreePorts(1, async ([port = 0]) => {
    const address = `${engineHost}:${port}`;
    const container = await new OwnMachineContainer(image)
      .withEnvironment({
        CLUSTER_ID: randomBytes(16).toString('base64url'),
        KAFKA_NODE_ID: '1',
        KAFKA_PROCESS_ROLES: 'broker,controller',
        KAFKA_CONTROLLER_QUORUM_VOTERS: '1@127.0.0.1:9093',
        KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${port},CONTROLLER://127.0.0.1:9093`,
        KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${address}`,
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
        KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
        KAFKA_LOG_DIRS: '/var/lib/kafka/data',
        KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
        KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
        // The number of partitions is small, because the first member of the first group waits until all of them
        // exist.
        KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '4',
        KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
        KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
        KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: '4',
        KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
        KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
        KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
        KAFKA_HEAP_OPTS: '-Xmx512m',
      })
      .withExposedPorts({ container: port, host: port })
      .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
      .start();
    return served(container, address);
  });
}

function served(container: StartedTestContainer, address: string): SharedServer {
  return { address, stop: async () => void (await container.stop()) };
}

/** If the engine runs here, publishes ports only on this machine and not on the whole network. */
class OwnMachineContainer extends GenericContainer {
  override async start(): Promise<StartedTestContainer> {
    const { DOCKER_HOST = '', TESTCONTAINERS_HOST_OVERRIDE } = process.env;
    const elsewhere =
      /^(tcp|http|https|ssh):/.test(DOCKER_HOST) || TESTCONTAINERS_HOST_OVERRIDE !== undefined;
    const ports: { HostIp?: string }[][] = Object.values(this.hostConfig.PortBindings ?? {});
    if (!elsewhere) for (const port of ports.flat()) port.HostIp = '127.0.0.1';
    return super.start();
  }
}
