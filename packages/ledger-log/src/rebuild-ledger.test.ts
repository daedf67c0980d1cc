/**
 * Tests when a rebuild may end, with a fake ledger that only counts generations. rebuild-ledger.servers.test.ts tests
 * the same on Redis.
 */
import type { Bus } from '@mandate/bus';
import type { Rebuild, RedisLedger } from '@mandate/ledger';
import { MandateError } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { clock, log, openedLog } from './decided-log.fixture.ts';
import { foldLog } from './fold-log.ts';
import { appendEpoch } from './ledger-epoch.ts';
import { lostLedger, rebuildLedger } from './rebuild-ledger.ts';

type Asked = Parameters<RedisLedger['beginRebuild']>[0];

/**
 * Returns a ledger with generations from 50 on, as a slow clock gives. `back`: the epoch of another process's
 * rebuild.
 */
function countingLedger(back: { epoch: string | null } = { epoch: null }) {
  const asked: Asked[] = [];
  const finished: string[] = [];
  const ledger = {
    get epoch() {
      return back.epoch ?? finished.at(-1) ?? '';
    },
    async beginRebuild(options: Asked): Promise<Rebuild> {
      asked.push(options);
      if (back.epoch !== null && back.epoch !== options.lostEpoch)
        throw new MandateError('LEDGER_EPOCH_CHANGED', 'back', { remedy: 'none' });
      const { epoch, highestOnLog = 0 } = options;
      return {
        epoch,
        generation: Math.max(50, highestOnLog + 1),
        renew: async () => {},
        load: async () => {},
        async finish() {
          back.epoch = null;
          finished.push(epoch);
        },
      };
    },
  };
  return { ledger, asked, finished };
}

const inForceOn = async (bus: Bus) => [...(await foldLog(bus)).fold.epochs.values()];
const begin = (bus: Bus, id: string, generation: number) =>
  appendEpoch(bus, clock, { id, generation, previous: null, reason: 'test' });

test('never uses an epoch that is not valid on the log, and tries a higher generation next', async () => {
  const { bus } = await openedLog();
  await begin(bus, 'ep_ahead', 100);
  const { ledger, asked, finished } = countingLedger();
  const lost = lostLedger('');
  await expect(rebuildLedger({ bus, ledger, clock, log }, lost)).rejects.toMatchObject({
    code: 'LEDGER_UNAVAILABLE',
    retryable: true,
  });
  expect(finished).toEqual([]);

  await rebuildLedger({ bus, ledger, clock, log }, lost);
  expect(asked).toMatchObject([
    { highestOnLog: 0, ownEpoch: '' },
    { highestOnLog: 100, ownEpoch: asked[0]?.epoch },
  ]);
  expect(finished).toEqual([asked[1]?.epoch]);
  expect(new Set((await inForceOn(bus)).map(({ id }) => id))).toEqual(new Set(finished));
});

test('accepts the rebuild of another process, unless its own announced epoch has replaced the other epoch on the log', async () => {
  const { bus } = await openedLog();
  const back: { epoch: string | null } = { epoch: 'ep_other' };
  const { ledger, asked, finished } = countingLedger(back);
  await begin(bus, 'ep_other', 20);
  const well = { ...lostLedger('ep_lost'), epoch: 'ep_late', announced: true };
  await rebuildLedger({ bus, ledger, clock, log }, well);
  await begin(bus, 'ep_late', 30);
  await rebuildLedger({ bus, ledger, clock, log }, lostLedger('ep_lost'));
  expect(finished).toEqual([]);

  await expect(rebuildLedger({ bus, ledger, clock, log }, well)).rejects.toMatchObject({
    code: 'LEDGER_UNAVAILABLE',
  });
  await rebuildLedger({ bus, ledger, clock, log }, well);
  expect(asked.at(-1)).toMatchObject({ lostEpoch: 'ep_other', highestOnLog: 30 });
  expect(finished).toEqual([asked.at(-1)?.epoch]);
});
