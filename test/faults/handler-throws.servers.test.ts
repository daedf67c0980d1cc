/**
 * Another build of a decider throws a TypeError while it handles a batch. Such a decider must not stay alive without
 * consuming: it must end at every start with the error in its log, wherever in the batch the fault is, and skip no
 * record. Afterwards the correct build must decide the records that the faulty build could not.
 */
import { keyPartition } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import {
  byLength,
  describeWithOwnServers,
  SEED,
  type StartedProcess,
  seededRandom,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { mandates, outcome, request, requests } from './support/agents-at-work.ts';
import { anotherBuild } from './support/another-build.ts';
import { PATIENCE_MS } from './support/breakable-servers.ts';
import { appendUntilTaken, expectNotExceeded, followLog } from './support/follow-log.ts';
import { shuffled } from './support/shuffled.ts';
import { expectWhole, SMALL_BATCHES, wholePlane } from './support/whole-plane.ts';

const SHARE = byLength({ short: 150, full: 300 });
const LIMITS = { agentMicros: 400_000, tenantMicros: 20_000_000 };

/**
 * The steps that a decider makes for a batch. Each step is named by its line of code; the fault is inserted before
 * this line.
 */
const PLACES = {
  step: '  const { answers, operations } = await answerBatch(incoming, options);',
  publish: '  await Promise.all([\n    append(',
  confirm: '  await ledger.confirm(epoch, operations);',
  commit: '  const last = batch.records.at(-1);',
};
type Place = keyof typeof PLACES;
/** The number of these steps that a run tests. The seed chooses the steps. */
const STRUCK = byLength({ short: 2, full: 4 });
/** The id of the action at which a faulty build fails. The faulty build never finishes a batch with this action. */
const SPOILT = 'spoilt';

describeWithOwnServers(['kafka', 'redis', 'clickhouse'], 'a build with a TypeError in its handler', () => {
  test(`ends at every step between a batch and its commit, and loses nothing (SEED=${SEED})`, {
    timeout: 900_000,
  }, async () => {
    const random = seededRandom(SEED);
    const [early, ...later] = shuffled(Object.keys(PLACES) as Place[], random).slice(0, STRUCK);
    if (early === undefined) throw new Error('there is no place');
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

    const first = await startDecider({}, await faultyBefore(early));
    await appendUntilTaken(bus, requests(0, SHARE, random));
    await waitUntil('the faulty build to decide', () => seen.decisions.size === SHARE, PATIENCE_MS);
    const [taken] = await bus.append(TOPICS.actions, [spoilt]);
    await appendUntilTaken(bus, requests(SHARE, SHARE, random));
    await expectEnded(first, early);
    for (const place of later) await expectEnded(await startDecider({}, await faultyBefore(place)), place);
    expect(await committed()).toBeLessThanOrEqual(taken?.position.offset ?? 0);

    const good = await startDecider();
    await expectWhole(seen, 2 * SHARE + 1);
    expectNotExceeded(LIMITS, seen);
    expect(good.process.exitCode).toBe(null);
    await expectLawsHold();
  });
});

function faultyBefore(place: Place): Promise<string> {
  const [file, from] = ['services/decider/src/app.ts', PLACES[place]];
  const isSpoilt = `batch.records.some(({ value }) => Buffer.from(value).includes('"${SPOILT}"'))`;
  return anotherBuild({ file, from, to: `  if (${isSpoilt}) undefined.${place}();\n${from}` });
}

async function expectEnded({ process, errors }: StartedProcess, place: Place): Promise<void> {
  await waitUntil('it to end', () => process.exitCode !== null || process.signalCode !== null, PATIENCE_MS);
  expect(process.exitCode).toBe(1);
  const named = `"type":"TypeError".*\\(reading '${place}'\\).*"msg":"decider failed; stopping"`;
  expect(errors()).toMatch(new RegExp(`"level":"error".*${named}`));
}
