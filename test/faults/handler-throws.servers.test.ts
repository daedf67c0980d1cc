/**
 * A fault in the program itself: a TypeError in what a decider does with a batch, in another build of it. It does not live
 * on without consuming: it ends, with the error in its log, as often as it is started, and skips nothing; the others, and the
 * build before, decide what it could not.
 */
import { keyPartition } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, SEED, type StartedProcess, seededRandom, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, pick, request, requests } from './agents-at-work.ts';
import { anotherBuild } from './another-build.ts';
import { PATIENCE_MS } from './breakable-servers.ts';
import { appendUntilTaken, expectNotExceeded, followLog } from './follow-log.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './whole-plane.ts';

const SHARE = 300;
const LIMITS = { agentMicros: 400_000, tenantMicros: 20_000_000 };
const STARTS = 2;

/** Lines of a batch's way through a decider, before which the fault strikes. */
const PLACES = [
  '  const { answers, operations } = await answerBatch(incoming, options);',
  '  await Promise.all([\n    append(',
  '  await ledger.confirm(epoch, operations);',
  '  const last = batch.records.at(-1);',
];
/** Of the batch that holds it, a faulty build makes nothing. */
const SPOILT = 'spoilt';
const FAULT = `  if (batch.records.some(({ value }) => Buffer.from(value).includes('"${SPOILT}"')))\n    (undefined as unknown as string).trim();\n`;

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a build with a TypeError in its handler', () => {
  const place = pick(PLACES, seededRandom(SEED));

  test(`ends each time, before "${place.trim().split('\n')[0]}", and nothing is lost (SEED=${SEED})`, {
    timeout: 600_000,
  }, async () => {
    const random = seededRandom(SEED);
    const faulty = anotherBuild({ file: 'services/decider/src/app.ts', from: place, to: `${FAULT}${place}` });
    const { bus, startDecider, expectLawsHold } = await wholePlane(mandates(LIMITS), {
      deciders: SMALL_BATCHES,
    });
    const seen = await followLog(bus, (allowed) => outcome(allowed, random, allowed.chargedMicros));
    const spoilt = request({ id: SPOILT, agentId: 'agent-of-the-spoilt', tool: 'cheap' });
    const partitions = (await bus.ranges(TOPICS.actions)).length;
    const partition = keyPartition(spoilt.key ?? '', partitions);
    const committed = async () =>
      (await bus.positions(GROUPS.decider)).find(
        (each) => each.topic === TOPICS.actions && each.partition === partition,
      )?.nextOffset ?? 0;

    const first = await startDecider({}, faulty);
    await appendUntilTaken(bus, requests(0, SHARE, random));
    await waitUntil('the faulty build to decide', () => seen.decisions.size === SHARE, PATIENCE_MS);
    const [taken] = await bus.append(TOPICS.actions, [spoilt]);
    await appendUntilTaken(bus, requests(SHARE, SHARE, random));
    await expectEnded(first);
    expect(first.errors()).toMatch(/"level":"error".*"type":"TypeError".*"msg":"decider failed; stopping"/);
    for (let start = 1; start < STARTS; start++) {
      const again = await startDecider({}, faulty);
      await expectEnded(again);
    }
    expect(await committed()).toBeLessThanOrEqual(taken?.coordinate.offset ?? 0);

    const good = await startDecider();
    await expectWhole(seen, 2 * SHARE + 1);
    expectNotExceeded(LIMITS, seen);
    expect(good.process.exitCode).toBe(null);
    await expectLawsHold();
  });
});

async function expectEnded({ process }: StartedProcess): Promise<void> {
  await waitUntil('it to end', () => process.exitCode !== null || process.signalCode !== null, PATIENCE_MS);
  expect(process.exitCode).toBe(1);
}
