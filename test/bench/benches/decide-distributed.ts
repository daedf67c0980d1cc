/**
 * Decisions per second on Kafka, with the ledger in Redis: one decider decides all waiting requests, timed until it
 * commits the last offset. The first rival is kafkajs alone: it reads the same requests, appends the same decisions
 * (made beforehand) and commits. The second rival is the ledger alone, with the same number of requests. Then two
 * deciders are compared with one decider, each in its own process.
 */
import type { Bus } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import { type KafkaCluster, type RedisServer, startKafka } from '@mandate/testing';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { decideOn } from '../workload/decider.ts';
import { connectDeciders } from '../workload/decider-processes.ts';
import { inBatches } from '../workload/in-batches.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';
import { partitionBatches, partitionOfAgent } from '../workload/partition-batches.ts';
import { openPlainKafka, type PlainKafka } from '../workload/plain-kafka.ts';
import { newRequests } from '../workload/requests.ts';
import { emptySharedLedger, logOn, startLedgerServer } from '../workload/servers.ts';
import { stepRequests } from '../workload/step-requests.ts';
import { appendAll } from '../workload/temporary-log.ts';

const ACTIONS = 5_000;
/**
 * The number of decisions in one append. Together they are much smaller than the largest request that a broker
 * accepts.
 */
const A_REQUEST = 300;
const WHAT = 'decisions from a backlog on Kafka and Redis';
const figures = { perSecond: { what: `${WHAT}: one decider`, unit: '/s' } } as const;

type On = { kafka: KafkaCluster; redis: RedisServer; bus: Bus; plain: PlainKafka };

export async function decideDistributed(): Promise<Row[]> {
  const answers = await newDecisions(ACTIONS);
  await using kafka = await startKafka();
  await using redis = await startLedgerServer();
  const bus = await logOn(kafka);
  const plain = await openPlainKafka(kafka.brokers);
  const on: On = { kafka, redis, bus, plain };
  const rows = [
    ...(await compare({
      pairs: 3,
      ours: () => deciding(on),
      rival: {
        what: 'kafkajs alone: consume, append, commit',
        run: async () => {
          await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
          let next = 0;
          return await measureWork(ACTIONS, () =>
            plain.consume(
              { group: GROUPS.decider, topic: TOPICS.actions, total: ACTIONS },
              ({ partition, count }) => {
                const taken = answers.slice(next, next + count).map((answer) => ({ ...answer, partition }));
                next += count;
                return inBatches(taken, { size: A_REQUEST, atOnce: 1 }, (part) =>
                  plain.append(TOPICS.decisions, part),
                );
              },
            ),
          );
        },
      },
      figures,
    })),
    ...(await compare({
      pairs: 2,
      ours: () => deciding(on),
      rival: { what: 'the ledger alone: step + confirm', run: () => stepping(on) },
      figures,
    })),
    ...(await compare({
      pairs: 2,
      ours: () => decidingApart(on, 2),
      rival: { what: 'one such process', run: () => decidingApart(on, 1) },
      figures: { perSecond: { what: `${WHAT}: two processes`, unit: '/s' } },
    })),
  ];
  await plain.close();
  await bus.close();
  return rows;
}

async function deciding({ bus, redis }: On): Promise<Work> {
  await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
  const ledger = await emptySharedLedger(redis);
  const work = await measureWork(ACTIONS, async () => {
    const decider = await decideOn(bus, ledger);
    await decider.caughtUp();
    await decider.stop();
  });
  await ledger.close();
  return work;
}

/**
 * Measures deciders in their own processes. Counts only the CPU time of the deciders. This process only polls until
 * the deciders are done.
 */
async function decidingApart({ kafka, redis, bus, plain }: On, count: number): Promise<Work> {
  await appendAll(bus, TOPICS.actions, newRequests(ACTIONS));
  const ledger = await emptySharedLedger(redis);
  const deciders = await connectDeciders(count, { brokers: kafka.brokers, url: redis.url });
  const { perSecond } = await measureWork(ACTIONS, async () => {
    deciders.start();
    await plain.untilCommitted(GROUPS.decider, TOPICS.actions);
  });
  const cpuMicros = (await deciders.end()) / ACTIONS;
  await ledger.close();
  return { perSecond, cpuMicros };
}

const BATCH = 500;
/** The number of batches that are in progress at the same time: one for each partition. */
const AT_ONCE = 8;
const mandate = mandateOf(mandateDocument({ globs: 10 }));

async function stepping({ redis }: On): Promise<Work> {
  const ledger = await emptySharedLedger(redis);
  const batches = partitionBatches(stepRequests(ACTIONS, mandate), BATCH, partitionOfAgent);
  const work = await measureWork(ACTIONS, () =>
    inBatches(batches, { size: 1, atOnce: AT_ONCE }, async ([batch = []]) => {
      await ledger.step(batch);
      await ledger.confirm(ledger.epoch, batch);
    }),
  );
  await ledger.close();
  return work;
}
