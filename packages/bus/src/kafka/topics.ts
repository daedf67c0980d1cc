import type { Logger } from '@mandate/runtime';
import { tenantOfTopic } from '@mandate/schemas';
import { topicUnfit } from '../errors.ts';
import { checkTopic } from './check-topic.ts';
import type { Cluster } from './client.ts';
import { asking, type Connection } from './connection.ts';
import { createTopic, type Provisioning } from './create-topic.ts';
import { answerOf } from './failure.ts';
import { partitionsOf } from './partitions-of.ts';

/** Who asks whether the log answers does not want to wait as long as who has something to write. */
const PROBE_MS = 3_000;

/** How a broker says that it knows no such topic. */
const MISSING = 'UNKNOWN_TOPIC_OR_PARTITION';

type Known = { partitions: Promise<readonly number[]>; freshUntil: number };

/** Topics that this process uses: each is checked, and made where that is asked for, before its first use. */
export class Topics {
  readonly #connection: Connection;
  readonly #provisioning: Provisioning;
  readonly #makesMissing: boolean;
  readonly #withinMs: number;
  readonly #freshMs: number;
  readonly #log: Logger;
  readonly #known = new Map<string, Known>();

  /** @param makesMissing false: topics are made by others, and the first use of one that is missing is an error */
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
   * Partition numbers of the topic, in order. The first caller is answered first: appends keep their order by it. Fails
   * with BUS_TOPIC_UNFIT.
   */
  partitionsOf(topic: string): Promise<readonly number[]> {
    const known = this.#known.get(topic);
    if (known === undefined) return this.#learn(topic);
    if (performance.now() > known.freshUntil) this.#lookAgain(topic, known);
    return known.partitions;
  }

  /** The same as a broker has it now: for callers that must not miss a partition that was added. */
  async partitionsNow(topic: string): Promise<readonly number[]> {
    await this.partitionsOf(topic);
    const partitions = await this.#count(topic, true);
    this.#known.set(topic, {
      partitions: Promise.resolve(partitions),
      freshUntil: performance.now() + this.#freshMs,
    });
    return partitions;
  }

  /** Makes it, if it is missing, and checks it. */
  async make(topic: string): Promise<boolean> {
    const isMissing = !(await this.#exists(topic));
    if (isMissing) {
      await createTopic(this.#connection, topic, this.#provisioning, this.#withinMs);
      this.#log.info({ topic }, 'topic created');
    }
    await checkTopic(this.#connection, topic, this.#withinMs, this.#log);
    return isMissing;
  }

  /** Those of the topics that are there now: one that was deleted must not hold up who reads others too. */
  async present(topics: readonly string[]): Promise<string[]> {
    const areThere = await asking(
      this.#connection,
      async (cluster) => {
        // All at once, and one by one where one is missing: it is not said which. What else fails shows where they are read.
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
   * Asks a broker now; fails when none answers, or when a topic in use has a partition without a leader. A tenant's own
   * topic is not asked for: it may be deleted one day, which is nothing to the others.
   */
  async probe(): Promise<void> {
    const names = [...this.#known.keys()].filter((topic) => tenantOfTopic(topic) === null);
    await asking(this.#connection, (cluster) => metadataOf(cluster, names), PROBE_MS);
  }

  #learn(topic: string): Promise<readonly number[]> {
    const partitions = this.#makeReady(topic).then(() => this.#count(topic));
    this.#known.set(topic, { partitions, freshUntil: performance.now() + this.#freshMs });
    // What failed is tried again by the next who asks.
    partitions.catch(() => this.#known.delete(topic));
    return partitions;
  }

  /** Partitions may be added. Until that is known, what was known before is used. */
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
    return asking(this.#connection, (cluster) => partitionsOf(cluster, topic, mustBeFresh), this.#withinMs);
  }

  async #makeReady(topic: string): Promise<void> {
    if (this.#makesMissing) {
      await this.make(topic);
      return;
    }
    if (!(await this.#exists(topic))) {
      throw topicUnfit(
        `topic ${topic} does not exist`,
        'Run `mandate migrate`, or have it created as infra/kafka/README.md says.',
      );
    }
    await checkTopic(this.#connection, topic, this.#withinMs, this.#log);
  }

  /**
   * Asks a broker itself. Among the topics that the client keeps an eye on, one that is missing would stay when another,
   * new one has no leader yet at that moment, and would then pass for one that is there.
   */
  async #exists(topic: string): Promise<boolean> {
    return asking(this.#connection, (cluster) => isIn(cluster, topic), this.#withinMs);
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

/** From any broker; fails for a topic that is missing, or has a partition without a leader. */
async function metadataOf(cluster: Cluster, topics: string[]): Promise<void> {
  if (cluster.getNodeIds().length === 0) await cluster.refreshMetadata();
  const [nodeId = ''] = cluster.getNodeIds();
  await (await cluster.findBroker({ nodeId })).metadata(topics);
}
