/**
 * Measures how long a reader of the control topic takes to start if the topic has a long history but few documents in
 * force. The reader starts from a snapshot, or reads all records. Also measures how long other work of the process
 * must wait while a snapshot is taken.
 */
import { type Bus, type Snapshots, topicSnapshots } from '@mandate/bus';
import { followControl, takeControlSnapshot } from '@mandate/control-log';
import { silentLogger } from '@mandate/runtime';
import { type ControlRecord, TOPICS } from '@mandate/schemas';
import { compare, type Sample, stated } from '../measure/compare.ts';
import { longestTurn } from '../measure/longest-turn.ts';
import { cpuSince } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { CHANGES, longHistory, STANDING } from '../workload/control-history.ts';
import { appendAll, temporaryLog } from '../workload/temporary-log.ts';

const log = silentLogger();

export async function controlStart(): Promise<Row[]> {
  await using held = await temporaryLog();
  const { bus } = held;
  await layDown(bus, longHistory());
  const snapshots = topicSnapshots(bus, TOPICS.controlSnapshots);
  const { seconds, heldMs, bytes } = await taking(bus, snapshots);
  const digests = [await digestFrom(bus), await digestFrom(bus, snapshots)];
  if (digests[0] !== digests[1]) throw new Error('a snapshot must change nothing');
  const of = `${CHANGES.toLocaleString('en')} changes, of which ${STANDING.toLocaleString('en')} stand`;
  const start = await compare({
    pairs: 2,
    ours: () => starting(bus, snapshots),
    rival: { what: 'folding all of them', run: () => starting(bus) },
    figures: { seconds: { what: `control topic followed, ${of}: from a snapshot`, unit: 's' } },
  });
  return [
    ...start,
    stated('snapshot of that: taken in', 's', [seconds]),
    stated('snapshot of that: CPU in the longest turn of the event loop', 'ms', [heldMs]),
    stated('snapshot of that: on the topic', 'MB', [bytes / 1e6]),
  ];
}

function layDown(bus: Bus, records: readonly ControlRecord[]): Promise<void> {
  const outgoing = records.map((record) => {
    return { key: record.change.tenant, partition: 0, value: JSON.stringify(record) };
  });
  return appendAll(bus, TOPICS.control, outgoing);
}

async function starting(bus: Bus, snapshots?: Snapshots): Promise<Sample<'seconds'>> {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const control = await followControl({ bus, log, ...(snapshots && { snapshots }) });
  const seconds = (performance.now() - startMs) / 1_000;
  const cpuMicros = cpuSince(cpuBefore);
  await control.stop();
  return { seconds, cpuMicros };
}

async function digestFrom(bus: Bus, snapshots?: Snapshots): Promise<string> {
  const control = await followControl({ bus, log, ...(snapshots && { snapshots }) });
  const digest = control.digest();
  await control.stop();
  return digest;
}

/** Takes a snapshot of the whole topic. Earlier snapshots are ignored. */
async function taking(bus: Bus, snapshots: Snapshots) {
  const none = { ...snapshots, async *newestFirst() {} };
  let bytes = 0;
  const startMs = performance.now();
  const heldMs = await longestTurn(async () => {
    const { saved } = await takeControlSnapshot({ bus, log, snapshots: none, afterRecords: 1 });
    bytes = saved?.bytes ?? 0;
  });
  return { seconds: (performance.now() - startMs) / 1_000, heldMs, bytes };
}
