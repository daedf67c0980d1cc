/**
 * Compares how long the ledger takes to rebuild itself from the log after a restart with only reading and parsing the
 * same records.
 */
import type { Bus } from '@mandate/bus';
import { foldLog } from '@mandate/ledger-log';
import { TOPICS } from '@mandate/schemas';
import { compare } from '../measure/compare.ts';
import { measureWork, type Work } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

const DECISIONS = 20_000;

export async function foldLedger(): Promise<Row[]> {
  const decisions = await newDecisions(DECISIONS);
  await using log = await temporaryLog();
  const { bus } = log;
  await appendAll(bus, TOPICS.decisions, decisions);
  return await compare({
    pairs: 5,
    ours: () => measureWork(DECISIONS, async () => void (await foldLog(bus))),
    rival: { what: 'read + JSON.parse of the same records', run: () => parsing(bus) },
    figures: { perSecond: { what: 'rebuild: decisions folded', unit: '/s' } },
  });
}

function parsing(bus: Bus): Promise<Work> {
  const utf8 = new TextDecoder();
  let parsed = 0;
  return measureWork(DECISIONS, async () => {
    const reader = await bus.read({
      topics: [TOPICS.decisions],
      from: 'earliest',
      onRecords(records) {
        for (const { value } of records) if (JSON.parse(utf8.decode(value)).event) parsed += 1;
      },
    });
    await reader.caughtUp;
    await reader.stop();
    if (parsed !== DECISIONS) throw new Error(`parsed ${parsed} of ${DECISIONS}`);
  });
}
