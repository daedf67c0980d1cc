/** How a process reaches the brokers of a plane. */
import type { Bus, KafkaConfig } from '@mandate/bus';
import { MandateError, silentLogger } from '@mandate/runtime';
import { CAPS, DEFAULTS, tenant as tenantName } from '@mandate/schemas';
import { loadClient, misused } from '../errors.ts';

export type KafkaOptions = Pick<KafkaConfig, 'tls' | 'sasl'> & {
  /** `host:port` of some brokers. The client asks them for all others. */
  brokers: readonly string[];
  /** The name of this process in the logs, quotas and metrics of the brokers. Default: `mandate-sdk`. */
  clientId?: string;
  /** The tenant of the records. Default: `default`. */
  tenant?: string;
  /** The longest wait for the brokers, in milliseconds. Default: 10,000. */
  timeoutMs?: number;
};

export type KafkaSettings = {
  tenant: string;
  timeoutMs: number;
  open: () => Promise<Bus>;
};

const DEFAULT_TIMEOUT_MS = 10_000;
const MOST_IN_FLIGHT = { maxInFlightRecords: 10_000, maxInFlightBytes: 32 << 20 };

/**
 * Checks the options. Nothing connects before `open`.
 *
 * @throws MandateError SDK_MISUSED
 */
export function kafkaSettings(options: KafkaOptions): KafkaSettings {
  const { brokers, clientId = 'mandate-sdk', tenant = DEFAULTS.tenant, tls, sasl } = options;
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (brokers.length === 0 || !brokers.every((broker) => /^\S+:\d+$/.test(broker)))
    throw misused('`brokers` names no brokers.', 'Set `brokers: ["host:9092"]`.');
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > CAPS.deadlineMs)
    throw misused(`timeoutMs is ${timeoutMs}.`, `Use a whole number from 1 to ${CAPS.deadlineMs}.`);
  if (!tenantName.safeParse(tenant).success)
    throw misused('`tenant` is no name of a tenant.', 'Use the name of a tenant of the plane.');
  const open = async () => {
    const { createKafkaBus } = await loadClient('kafkajs', () => import('@mandate/bus/kafka'));
    return createKafkaBus({
      ...{ brokers, clientId, log: silentLogger(), patienceMs: timeoutMs, overloadWaitMs: timeoutMs },
      ...{ requestTimeoutMs: Math.min(timeoutMs, DEFAULT_TIMEOUT_MS), ...MOST_IN_FLIGHT },
      ...(tls !== undefined && { tls }),
      ...(sasl !== undefined && { sasl }),
    });
  };
  return { tenant, timeoutMs, open };
}

export function kafkaLate(timeoutMs: number): MandateError {
  return new MandateError('KAFKA_UNAVAILABLE', `Kafka did not answer within ${timeoutMs} ms.`, {
    remedy: 'Check the brokers, the topics and the rights of this process.',
    retryable: true,
  });
}
