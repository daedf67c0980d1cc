import { manualClock } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { decide } from '../contract/bench.ts';
import { planOf, refusal, stepRequest } from '../contract/builders.ts';
import { createMemoryLedger } from './memory-ledger.ts';

/** Lets a tenant send requests until its limit is reached. Returns the number of its remembered requests. */
async function fill(ledger: ReturnType<typeof createMemoryLedger>, tenant: string): Promise<number> {
  for (let remembered = 0; ; remembered += 1) {
    if ((await decide(ledger, stepRequest({ tenant }))).unremembered) return remembered;
  }
}

test('gives one tenant four fifths of the memory, two tenants four ninths each, and a further tenant always some memory', async () => {
  const ledger = createMemoryLedger({ clock: manualClock(1_000), epoch: 'e', mostRemembered: 900 });
  expect(await fill(ledger, 'first')).toBe(720);
  expect(await fill(ledger, 'second')).toBe(144);
  expect(await fill(ledger, 'third')).toBe(29);

  const shared = createMemoryLedger({ clock: manualClock(1_000), epoch: 'e', mostRemembered: 900 });
  for (let at = 0; at < 1_000; at += 1) {
    await shared.step([stepRequest({ tenant: 'one' }), stepRequest({ tenant: 'other' })]);
  }
  const { tenants } = shared.state();
  expect([...tenants.values()].map(({ remembered }) => remembered)).toEqual([400, 400]);
});

test('frees the memory of any number of forgotten deliveries', async () => {
  const clock = manualClock(1_000);
  const ledger = createMemoryLedger({ clock, epoch: 'e', replayMemoryMs: 1_000, mostRemembered: 5_000 });
  const plan = planOf({ refusal: refusal() });
  const ask = () => stepRequest({ plan, appendedAtMs: clock() });
  const requests = Array.from({ length: 4_000 }, ask);
  await ledger.step(requests);
  await ledger.confirm('e', requests);
  expect(await decide(ledger, ask())).toMatchObject({ unremembered: true });
  clock.advance(1_000);
  expect(await decide(ledger, ask())).toMatchObject({ unremembered: false });
  const more = Array.from({ length: 3_999 }, ask);
  const results = await ledger.step(more);
  expect(results.filter((result) => result.kind === 'decided' && result.facts.unremembered)).toEqual([]);
  expect(ledger.state().remembered).toBe(4_000);
});
