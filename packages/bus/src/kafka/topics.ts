import type { Logger } from '@mandate/runtime';
import { tenantOfTopic } from '@mandate/schemas';
import { topicUnfit } from '../errors.ts';
import { checkTopic } from './check-topic.ts';
import type { Cluster } from './client.ts';
import { type Connection, withBusErrors } from './connection.ts';
import { createTopic, type Provisioning } from './create-topic.ts';
import { answerOf } from './failure.ts';
import { partitionsOf } from './partitions-of.ts';

/** The time limit of `probe` in milliseconds. A caller of `ping` should not wait as long as a caller of `append`. */
const PROBE_MS = 3_000;

/** A broker's error for a topic that it does not know. */
const MISSING = 'UNKNOWN_TOPIC_OR_PARTITION';

type Known = { partitions: Promise<readonly number[]>; freshUntil: number };

/**
 * The topics that this process uses. Each topic is checked before its first use. A missing topic is created if the
 * options allow it.
 */
export class Topics {
  readonly #connection: Connection;
  readonly #provisioning: Provisioning;
  readonly #makesMissing: boolean;
  readonly #withinMs: number;
  readonly #freshMs: number;
  readonly #log: Logger;
  readonly #known = new Map<string, Known>();

  /** @param makesMissing if false, operators create the topics, and the first use of a missing topic is an error */
  constructor(
    parts: { connection: Connection; withinMs: number; freshMs: number; log: Logger },
    provisioning: Provisioning,
    makesMissing: boolean,
  ) {
    this.#connection = parts.connection;
    this.#withinMs = parts.withinMs;
    this.#freshMs = parts.freshMs;
    this.#log = parts.log;
    this.#provisioning = provisioning;
    this.#makesMissing = makesMissing;
  }

  /**
   * Returns the partition numbers of the topic, in order. Fails with BUS_TOPIC_UNFIT. Callers get their answers in
   * the order of their calls, because appends must keep their order.
   */
  partitionsOf(topic: string): Promise<readonly number[]> {
    const known = this.#known.get(topic);
    if (known === undefined) return this.#learn(topic);
    if (performance.now() > known.freshUntil) this.#lookAgain(topic, known);
    return known.partitions;
  }

  /**
   * Returns the partition numbers like `partitionsOf`, but asks a broker now. For callers that must not miss a new
   * partition.
   */
  async partitionsNow(topic: string): Promise<readonly number[]> {
    await this.partitionsOf(topic);
    const partitions = await this.#count(topic, true);
    this.#known.set(topic, {
      partitions: Promise.resolve(partitions),
      freshUntil: performance.now() + this.#freshMs,
    });
    return partitions;
  }

  /** Creates the topic if it is missing, and checks the topic. True if the topic was missing. */
  async make(topic: string): Promise<boolean> {
    const isMissing = !(await this.#exists(topic));
    if (isMissing) {
      await createTopic(this.#connection, topic, this.#provisioning, this.#withinMs);
      this.#log.info({ topic }, 'topic created');
    }
    await checkTopic(this.#connection, topic, this.#withinMs, this.#log);
    return isMissing;
  }

  /**
   * Returns the topics that exist now. A reader of several topics uses it, because a deleted topic must not stop the
   * reader.
   */
  async present(topics: readonly string[]): Promise<string[]> {
    const areThere = await withBusErrors(
      this.#connection,
      async (cluster) => {
        // Asks for all topics at once. If a topic is missing, asks for each topic, because the error does not name
        // it. Other failures appear when the topics are read.
        const areAll = await metadataOf(cluster, [...topics]).then(
          () => true,
          (error) => answerOf(error) !== MISSING,
        );
        return areAll ? topics.map(() => true) : Promise.all(topics.map((topic) => isIn(cluster, topic)));
      },
      this.#withinMs,
    );
    for (const [at, topic] of topics.entries()) if (!areThere[at]) this.#known.delete(topic);
    return topics.filter((_, at) => areThere[at]);
  }

  /**
   * Asks a broker now. Fails if no broker answers, or if a topic in use has a partition without a leader. Leaves out
   * the topics of single tenants, because a deleted topic of one tenant must not make the whole log fail.
   */
  async probe(): Promise<void> {
    const names = [...this.#known.keys()].filter((topic) => tenantOfTopic(topic) === null);
    await withBusErrors(this.#connection, (cluster) => metadataOf(cluster, names), PROBE_MS);
  }

  #learn(topic: string): Promise<readonly number[]> {
    const partitions = this.#makeReady(topic).then(() => this.#count(topic));
    this.#known.set(topic, { partitions, freshUntil: performance.now() + this.#freshMs });
    // The entry is deleted after a failure, so that the next caller tries again.
    partitions.catch(() => this.#known.delete(topic));
    return partitions;
  }

  /**
   * Looks up the partitions again, because there may be new partitions. Until then, callers get the known partitions.
   */
  #lookAgain(topic: string, known: Known): void {
    known.freshUntil = performance.now() + this.#freshMs;
    this.#count(topic).then(
      (partitions) => {
        known.partitions = Promise.resolve(partitions);
      },
      (error) =>
        this.#log.debug({ err: error, topic }, 'the partitions of a topic could not be looked up again'),
    );
  }

  #count(topic: string, mustBeFresh = false): Promise<readonly number[]> {
    return withBusErrors(
      this.#connection,
      (cluster) => partitionsOf(cluster, topic, mustBeFresh),
      this.#withinMs,
    );
  }

  async #makeReady(topic: string): Promise<void> {
    if (this.#makesMissing) {
      await this.make(topic);
      return;
    }
    if (!(await this.#exists(topic))) {
      throw topicUnfit(
        `topic ${topic} does not exist`,
        'Run `mandate migrate`, or create the topic as infra/kafka/README.md says.',
      );
    }
    await checkTopic(this.#connection, topic, this.#withinMs, this.#log);
  }

  /**
   * True if the topic exists, according to a broker. The client's own list of topics is not reliable: it keeps a
   * missing topic while another topic has no leader yet.
   */
  async #exists(topic: string): Promise<boolean> {
    return withBusErrors(this.#connection, (cluster) => isIn(cluster, topic), this.#withinMs);
  }
}

async function isIn(cluster: Cluster, topic: string): Promise<boolean> {
  try {
    await metadataOf(cluster, [topic]);
    return true;
  } catch (error) {
    if (answerOf(error) === MISSING) return false;
    throw error;
  }
}

/** Asks any broker. Fails if one of the topics is missing, or has a partition without a leader. */
async function metadataOf(cluster: Cluster, topics: string[]): Promise<void> {
  if (cluster.getNodeIds().length === 0) await cluster.refreshMetadata();
  const [nodeId = ''] = cluster.getNodeIds();
  await (await cluster.findBroker({ nodeId })).metadata(topics);
}
