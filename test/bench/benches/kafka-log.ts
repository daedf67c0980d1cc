/**
 * Compares the log on Kafka with kafkajs' own producer and consumer. Both write decisions as a decider does (about 3
 * KB): the same records in the same batches, with the same acknowledgements and as many appends in progress. A batch
 * belongs to one partition, single records belong to many.
 */
import type { Bus, Outgoing } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { type KafkaCluster, startKafka } from '@mandate/testing';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { inBatches } from '../workload/in-batches.ts';
import { partitionBatches, partitionOfKey } from '../workload/partition-batches.ts';
import { openPlainKafka, type PlainKafka } from '../workload/plain-kafka.ts';
import { logOn } from '../workload/servers.ts';
import { appendAll } from '../workload/temporary-log.ts';

const DECISIONS = 6_000;
const LOADS = [
  { size: 1, records: 3_000, atOnce: 64 },
  { size: 100, records: DECISIONS, atOnce: 8 },
  { size: 500, records: DECISIONS, atOnce: 8 },
];

type Load = (typeof LOADS)[number];
type Placed = Outgoing & { partition: number };
type Append = (records: readonly Outgoing[]) => Promise<unknown>;

export async function kafkaLog(): Promise<Row[]> {
  const decisions = (await newDecisions(DECISIONS)).map(placed);
  await using kafka = await startKafka();
  const bus = await logOn(kafka);
  const plain = await openPlainKafka(kafka.brokers);
  const rows: Row[] = [];
  for (const load of LOADS) rows.push(...(await appending(bus, plain, load, decisions)));
  rows.push(...(await consuming(kafka, plain, decisions)));
  await plain.close();
  await bus.close();
  return rows;
}

function appending(bus: Bus, plain: PlainKafka, load: Load, decisions: readonly Placed[]): Promise<Row[]> {
  const batches = partitionBatches(decisions.slice(0, load.records), load.size, ({ partition }) => partition);
  const run = (append: Append): Promise<Work> =>
    measureWork(load.records, () =>
      inBatches(batches, { size: 1, atOnce: load.atOnce }, ([batch = []]) => append(batch)),
    );
  return compare({
    pairs: 3,
    ours: () => run((records) => bus.append(TOPICS.decisions, records)),
    rival: {
      what: 'kafkajs: producer.send',
      run: () => run((records) => plain.append(TOPICS.decisions, records)),
    },
    figures: { perSecond: { what: `log on Kafka: append, batches of ${load.size}`, unit: '/s' } },
  });
}

/** Measures from joining the group until the last record is committed. */
async function consuming(
  kafka: KafkaCluster,
  plain: PlainKafka,
  decisions: readonly Outgoing[],
): Promise<Row[]> {
  const topic = `${TOPICS.actions}.bench`;
  const bus = await logOn(kafka);
  await appendAll(bus, topic, decisions);
  let round = 0;
  const rows = await compare({
    pairs: 3,
    ours: () => consumingOurs(bus, topic, `bench.ours.${round++}`),
    rival: {
      what: 'kafkajs: consumer.run, commitOffsets',
      run: () =>
        measureWork(DECISIONS, () =>
          plain.consume({ group: `bench.plain.${round++}`, topic, total: DECISIONS }),
        ),
    },
    figures: { perSecond: { what: 'log on Kafka: consume + commit', unit: '/s' } },
  });
  await bus.close();
  return rows;
}

function consumingOurs(bus: Bus, topic: string, group: string): Promise<Work> {
  return measureWork(DECISIONS, async () => {
    const all = Promise.withResolvers<void>();
    let done = 0;
    const consumer = await bus.consume({
      group,
      topics: [topic],
      from: 'earliest',
      async onBatch({ records, commit }) {
        await commit((records.at(-1)?.position.offset ?? 0) + 1);
        done += records.length;
        if (done >= DECISIONS) all.resolve();
      },
    });
    await all.promise;
    await consumer.stop();
  });
}

/**
 * Sets the partition of a record from its key, before the measurement. Mandate and kafkajs then write to the same
 * partitions.
 */
function placed(record: Outgoing): Placed {
  return { ...record, partition: partitionOfKey(record.key ?? '') };
}
