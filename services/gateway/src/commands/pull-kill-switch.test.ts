import { createFold, createMemoryLedger, foldRecord, type KillReceipt, type Ledger } from '@mandate/ledger';
import { silentLogger } from '@mandate/runtime';
import { CAPS, type KillTarget, readDecisionsRecord, settingsOfTopic, TOPICS } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { expect, test } from 'vitest';
import { PendingReplies } from '../answers/pending-replies.ts';
import { CommandJournal } from '../journal/command-journal.ts';
import { gatewayMeasures } from '../measures.ts';
import { UndecidedRecords } from '../publish/undecided-records.ts';
import { LastKills } from './last-kills.ts';
import { kill, revive } from './pull-kill-switch.ts';

const clock = () => 1_000;
const target: KillTarget = { scope: 'agent', tenant: 'acme', agentId: 'bot' };
const by = (id: string) => ({ id, by: 'op', reason: id });

/**
 * Makes a ledger that gateways share and that can be rebuilt from the log. `onAppend` runs before the next append.
 */
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
    const measures = gatewayMeasures(createMetrics({ service: 'test' }), {
      replies: new PendingReplies({ maxWaiting: 1, maxRecent: 1, maxRecentBytes: 1 }),
      journal,
      undecided: new UndecidedRecords(2),
    });
    const lastKills = new LastKills();
    return { ledger, clock, log, journal, measures, lastKills, controlRevision: () => 0 };
  };
  const rebuild = () => {
    rebuilds += 1;
    inForce = folded(`ep-${rebuilds}`);
  };
  return {
    gateway,
    ledger,
    rebuild,
    values,
    isKilled: async () => (await ledger.killStatus('acme', 'bot')).killed !== null,
  };
}

test('a kill that is carried out again after a rebuild stays in force, even if another kill was revived in between', async () => {
  const { gateway, rebuild, isKilled } = scene();
  const other = gateway();
  const held = gateway(async () => {
    rebuild();
    await kill(other, target, by('second'));
    await revive(other, target, by('revived'));
  });
  expect(await kill(held, target, by('first'))).toMatchObject({ revision: 3 });
  rebuild();
  expect(await isKilled()).toBe(true);
});

test('the event of a kill fits the log, however many agents it stops and however long their names are', async () => {
  const { gateway, ledger, rebuild, values, isKilled } = scene();
  const long = (at: number) => String(at).padStart(CAPS.idUnits, '界');
  const open = Array.from({ length: 5_000 }, (_, at) => ({
    tenant: String(at).padStart(64, 't'),
    agentId: long(at),
    actionId: long(at),
    attempt: 1,
    ...{ type: 'tool_call' as const, tool: long(at), digest: 'd'.repeat(64), sequence: at },
    ...{ reservedMicros: Number.MAX_SAFE_INTEGER, decidedAtMs: 1_000, leaseExpiresAtMs: 2_000 },
  }));
  const sequences = Object.fromEntries(
    Array.from({ length: 24_000 }, (_, at) => [String(at).padStart(64, 't'), Number.MAX_SAFE_INTEGER]),
  );
  const crowded = { ...gateway(), ledger: withReceipt(ledger, { open, sequences }) };
  const killed = await kill(crowded, { scope: 'all' }, by('all'));
  expect([killed.openCount, Object.keys(killed.sequences).length]).toEqual([5_000, 24_000]);
  expect(values.at(-1)?.byteLength).toBeLessThan(settingsOfTopic(TOPICS.decisions).maxBatchBytes * 0.75);
  rebuild();
  expect(await isKilled()).toBe(true);
});

/** Returns the ledger, but each kill has the given receipt, which may be large. */
function withReceipt(ledger: Ledger, receipt: Pick<KillReceipt, 'open' | 'sequences'>): Ledger {
  return new Proxy(ledger, {
    get: (_, name) =>
      name === 'kill'
        ? async (...args: Parameters<Ledger['kill']>) => ({ ...(await ledger.kill(...args)), ...receipt })
        : Reflect.get(ledger, name),
  });
}
