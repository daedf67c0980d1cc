/**
 * Measures the rebuild of the shared ledger: reads the decisions topic, loads the totals into an empty Redis, and
 * switches to the new ledger. The rival is kafkajs' own consumer, which reads and parses the same records.
 */
import type { Bus } from '@mandate/bus';
import { createRedisLedger } from '@mandate/ledger/redis';
import { foldLog } from '@mandate/ledger-log';
import { TOPICS } from '@mandate/schemas';
import { emptyRedis, type RedisServer, startKafka } from '@mandate/testing';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { openPlainKafka, type PlainKafka } from '../workload/plain-kafka.ts';
import { logOn, startLedgerServer } from '../workload/servers.ts';
import { appendAll } from '../workload/temporary-log.ts';

const DECISIONS = 20_000;

export async function rebuildSharedLedger(): Promise<Row[]> {
  const decisions = await newDecisions(DECISIONS);
  await using kafka = await startKafka();
  await using redis = await startLedgerServer();
  const bus = await logOn(kafka);
  await appendAll(bus, TOPICS.decisions, decisions);
  const plain = await openPlainKafka(kafka.brokers);
  let round = 0;
  const rows = await compare({
    pairs: 3,
    ours: () => rebuilding(bus, redis),
    rival: {
      what: 'kafkajs: read + JSON.parse of the same records',
      run: () => parsing(plain, `bench.plain.${round++}`),
    },
    figures: { perSecond: { what: 'rebuild of the shared ledger, from Kafka into Redis', unit: '/s' } },
  });
  await plain.close();
  await bus.close();
  return rows;
}

async function parsing(plain: PlainKafka, group: string): Promise<Work> {
  const utf8 = new TextDecoder();
  return await measureWork(DECISIONS, () =>
    plain.consume({ group, topic: TOPICS.decisions, total: DECISIONS }, async ({ values }) => {
      for (const value of values) JSON.parse(utf8.decode(value ?? undefined));
    }),
  );
}

async function rebuilding(bus: Bus, { url }: RedisServer): Promise<Work> {
  await emptyRedis(url);
  const ledger = await createRedisLedger({ url });
  const work = await measureWork(DECISIONS, async () => {
    const rebuild = await ledger.beginRebuild({ epoch: 'ep_bench' });
    const { fold, decisions } = await foldLog(bus);
    if (decisions !== DECISIONS) throw new Error(`folded ${decisions} of ${DECISIONS}`);
    await rebuild.load(fold.state);
    await rebuild.finish();
  });
  await ledger.close();
  return work;
}
