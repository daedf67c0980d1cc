/**
 * The sources of shared test servers. Each kind has a list of sources, and the first source with a server is used.
 */
import { installedClickHouse } from './clickhouse/installed-clickhouse.ts';
import { startClickHouse } from './clickhouse/start-clickhouse.ts';
import { dockerOffer } from './docker/docker-offer.ts';
import { installedKafka } from './kafka/install-kafka.ts';
import { startKafka } from './kafka/start-kafka.ts';
import { MissingServerError } from './missing-server.ts';
import type { Offer, ServerKind } from './offer.ts';
import { installedRedis } from './redis/install-redis.ts';
import { startRedis } from './redis/start-redis.ts';

/** Returns undefined if the source has no server here. The last source throws MissingServerError with a remedy. */
type Source = () => Promise<Offer | undefined>;

const SOURCES: Readonly<Record<ServerKind, readonly Source[]>> = {
  redis: [named('MANDATE_TEST_REDIS_URL'), () => dockerOffer('redis'), () => localOffer('redis')],
  kafka: [named('MANDATE_TEST_KAFKA_BROKERS'), () => dockerOffer('kafka'), () => localOffer('kafka')],
  clickhouse: [
    named('MANDATE_TEST_CLICKHOUSE_URL'),
    () => dockerOffer('clickhouse'),
    () => localOffer('clickhouse'),
  ],
};

/** @throws MissingServerError if no source has a server of this kind */
export async function offerOf(kind: ServerKind): Promise<Offer> {
  for (const source of SOURCES[kind]) {
    const offer = await source();
    if (offer !== undefined) return offer;
  }
  throw new MissingServerError(`no source has ${kind}`);
}

/**
 * Returns the server that `startRedis` and similar functions run. A test can break only servers of this source.
 * Fetches missing programs first.
 */
export async function localOffer(kind: ServerKind): Promise<Offer> {
  switch (kind) {
    case 'redis': {
      const start = async () => {
        const { url, stop } = await startRedis();
        return { address: url, stop };
      };
      return { what: `local, ${(await installedRedis()).what}`, start };
    }
    case 'kafka': {
      const start = async () => {
        const { brokers, stop } = await startKafka();
        return { address: brokers.join(','), stop };
      };
      return { what: `local, ${(await installedKafka()).what}`, start };
    }
    case 'clickhouse': {
      const start = async () => {
        const { url, stop } = await startClickHouse();
        return { address: url, stop };
      };
      return { what: `local, ${(await installedClickHouse()).what}`, start };
    }
  }
}

/** A source for a server that runs already. An environment variable has its address. */
function named(variable: string): Source {
  return async () => {
    const address = process.env[variable];
    if (address === undefined || address === '') return undefined;
    return { what: `${variable} in the environment`, start: async () => ({ address, stop: async () => {} }) };
  };
}
