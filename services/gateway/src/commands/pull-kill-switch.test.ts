import { createFold, createMemoryLedger, foldRecord, type Ledger } from '@mandate/ledger';
import { silentLogger } from '@mandate/runtime';
import { type KillTarget, readDecisionsRecord, TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { CommandJournal } from '../journal/command-journal.ts';
import { kill, revive } from './pull-kill-switch.ts';

const clock = () => 1_000;
const target: KillTarget = { scope: 'agent', tenant: 'acme', agentId: 'bot' };
const by = (id: string) => ({ id, by: 'op', reason: id });

/** A ledger that gateways share, rebuilt from what is on the log; `onAppend` comes before what is appended next. */
function scene() {
  const values: Uint8Array[] = [];
  const folded = (epoch: string): Ledger => {
    const fold = createFold();
    values.forEach((value, offset) => {
      const source = { topic: TOPICS.decisions, partition: 0, offset };
      foldRecord(fold, { source, record: readDecisionsRecord(value) });
    });
    return createMemoryLedger({ clock, epoch, state: fold.state });
  };
  let inForce = folded('ep-1');
  let rebuilds = 1;
  const ledger = new Proxy({} as Ledger, {
    get: (_, name) => {
      const found = Reflect.get(inForce, name);
      return typeof found === 'function' ? found.bind(inForce) : found;
    },
  });
  const gateway = (onAppend = async () => {}) => {
    let held: typeof onAppend | null = onAppend;
    const append = async (_: string, records: readonly { value: string | Uint8Array }[]) => {
      const first = held;
      held = null;
      await first?.();
      values.push(...records.map(({ value }) => Buffer.from(value)));
      return [];
    };
    const log = silentLogger();
    const journal = new CommandJournal({ bus: { append }, log, maxUnlogged: 10 });
    return { ledger, clock, log, journal };
  };
  const rebuild = () => {
    rebuilds += 1;
    inForce = folded(`ep-${rebuilds}`);
  };
  return { gateway, rebuild, isKilled: async () => (await ledger.killStatus('acme', 'bot')).killed !== null };
}

test('a kill that had to be carried out again outlives the revive that came in between', async () => {
  const { gateway, rebuild, isKilled } = scene();
  const other = gateway();
  const held = gateway(async () => {
    rebuild();
    await kill(other, target, by('second'), 'acme');
    await revive(other, target, by('revived'), 'acme');
  });
  expect(await kill(held, target, by('first'), 'acme')).toMatchObject({ revision: 3 });
  rebuild();
  expect(await isKilled()).toBe(true);
});
