/**
 * Tests how the recorder treats ledger epochs: which records are void, even if tables were lost or recorders died.
 */
import {
  ask,
  recordControlEvents,
  recordedByPartition,
  searchControlEvents,
  searchSettlements,
} from '@mandate/audit';
import { TOPICS } from '@mandate/schemas';
import { arbitraryEpochHistory, type EpochStep, standing } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decided, epochBegan, killed, settled } from '../support/log-records.ts';
import { idsOf, metric, type RecorderScene, until } from '../support/recorder-scene.ts';
import { everyDecision } from '../support/recording.ts';

export function epochsMakeVoid(scene: RecorderScene): void {
  describe('a ledger epoch', () => {
    test('makes later records of other epochs void, but only decisions and settlements', async () => {
      const [a = 0, b = 0, c = 0, d = 0] = scene.fresh(4);
      const late = killed(`kill-${a}`, { scope: 'agent', tenant: 'acme', agentId: 'x' });
      await scene.recording.append(
        [
          epochBegan('ep-1'),
          decided(a, { ledgerEpoch: 'ep-1' }),
          epochBegan('ep-2'),
          decided(b, { ledgerEpoch: 'ep-1' }),
          settled(b, { ledgerEpoch: 'ep-1' }),
          late,
          decided(c, { ledgerEpoch: 'ep-2' }),
          settled(c, { ledgerEpoch: 'ep-2' }),
          decided(d, { ledgerEpoch: 'ep-1' }),
        ],
        0,
      );
      await scene.recordAll();

      expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf([decided(a), decided(c)]).sort());
      expect(await ask(scene.audit, searchSettlements, { tenant: 'acme' })).toMatchObject([
        { actionId: `act-${c}` },
      ]);
      expect(
        await ask(scene.audit, searchControlEvents, { tenant: 'acme', event: 'agent.killed' }),
      ).toHaveLength(1);
      const rows = await ask(scene.audit, recordedByPartition, {});
      expect(rows).toContainEqual(
        expect.objectContaining({ table: 'decisions', logPartition: 0, rows: 4, voidRows: 2 }),
      );
    });

    test('makes no earlier record void, even if a recorder inserts the epoch and dies before its commit', async () => {
      const [a = 0] = scene.fresh(1);
      const announced = epochBegan('ep-after');
      await scene.recording.append([epochBegan('ep-before')], 0);
      await scene.recordAll();
      const offsets = await scene.recording.append([decided(a, { ledgerEpoch: 'ep-before' }), announced], 0);
      await recordControlEvents(scene.audit, [
        {
          record: announced,
          value: Buffer.from(JSON.stringify(announced)),
          position: { topic: TOPICS.decisions, partition: 0, offset: offsets[1] ?? 0 },
          void: false,
          recordedAtMs: 1,
          traceId: null,
        },
      ]);
      await scene.recordAll();
      expect(await everyDecision(scene.audit)).toEqual(idsOf([decided(a)]));
    });

    test('is recorded before the records after it, so that a row proves that earlier epochs are recorded', async () => {
      const recorder = await scene.recording.record();
      await recorder.caughtUp();
      await scene.audit.command('RENAME TABLE control_events TO control_events_away');
      const [a = 0] = scene.fresh(1);
      await scene.recording.append([epochBegan(`ep-${a}`), decided(a, { ledgerEpoch: `ep-${a}` })], 0);
      await until(async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= 2);
      expect(await everyDecision(scene.audit)).toEqual([]);
      await scene.audit.command('RENAME TABLE control_events_away TO control_events');
      await recorder.caughtUp();
      expect(await everyDecision(scene.audit)).toEqual(idsOf([decided(a)]));
      await recorder.stop();
    });

    test('is known to a second recorder, even if the tables were emptied after the epoch was announced', async () => {
      await scene.recording.append([epochBegan('ep-old'), epochBegan('ep-new')], 0);
      await scene.recordAll();
      await scene.emptyTables();
      const [old, current] = scene.fresh(2);
      for (const record of [old, old, current].map((n) =>
        decided(n ?? 0, { ledgerEpoch: n === current ? 'ep-new' : 'ep-old' }),
      )) {
        await scene.recording.append([record], 0);
        await scene.recordAll();
      }
      expect(await everyDecision(scene.audit)).toEqual(idsOf([decided(current ?? 0)]));
    });

    test('is known however recorders start and stop, and whichever tables were lost', async () => {
      const happening = fc.constantFrom(...Array<null>(8).fill(null), 'restart' as const, 'lose' as const);
      // All rounds share one log. So the generations of each round must be higher than those of earlier rounds.
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          arbitraryEpochHistory,
          fc.array(happening, { maxLength: 40 }),
          fc.integer({ min: 1, max: 6 }),
          async (drawn, happenings, maxBatch) => {
            round += 1;
            await scene.emptyTables();
            const losesTables = happenings.includes('lose');
            const steps = [{ begins: { id: 'start', generation: 0 } }, ...drawn]
              .map((step) => ofRound(step, round))
              // An epoch without a generation gets its order from the generations before it. If tables are lost,
              // these generations are lost too.
              .filter((step) => !losesTables || 'madeIn' in step || step.begins.generation !== undefined);
            const stand = standing(steps);
            let standingIds: string[] = [];
            for (const [at, step] of steps.entries()) {
              if ('begins' in step)
                await scene.recording.append([epochBegan(step.begins.id, step.begins.generation)], 1);
              else {
                const record = decided(scene.next(), { ledgerEpoch: step.madeIn });
                await scene.recording.append([record], 1);
                if (stand[at]) standingIds.push(record.decision.id);
              }
              const happened = happenings[at] ?? null;
              if (happened !== null) await scene.recordAll({ maxBatch });
              if (happened !== 'lose') continue;
              await scene.emptyTables();
              standingIds = [];
            }
            await scene.recordAll({ maxBatch });
            expect((await everyDecision(scene.audit)).sort()).toEqual(standingIds.sort());
          },
        ),
        { numRuns: 12 },
      );
    });
  });
}

/** Gives the step a name that no other round has, and a generation above those of earlier rounds. */
function ofRound(step: EpochStep, round: number): EpochStep {
  if ('madeIn' in step) return { madeIn: `${step.madeIn}-${round}` };
  const { id, generation } = step.begins;
  return {
    begins: {
      id: `${id}-${round}`,
      ...(generation === undefined ? {} : { generation: 100 * round + generation }),
    },
  };
}
