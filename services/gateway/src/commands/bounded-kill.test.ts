import { createMemoryLedger } from '@mandate/ledger';
import { silentLogger } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import { createMetrics, HttpProblem } from '@mandate/server';
import { expect, test } from 'vitest';
import { PendingReplies } from '../answers/pending-replies.ts';
import type { Gateway } from '../gateway.ts';
import { CommandJournal } from '../journal/command-journal.ts';
import { gatewayMeasures } from '../measures.ts';
import { UndecidedRecords } from '../publish/undecided-records.ts';
import { boundedKill } from './bounded-kill.ts';
import { LastKills } from './last-kills.ts';
import { revive } from './pull-kill-switch.ts';

const BOT: KillTarget = { scope: 'agent', tenant: 'acme', agentId: 'bot' };
const MADE_UP: KillTarget = { ...BOT, agentId: 'made-up' };

/**
 * Makes a gateway with a ledger in memory and a log that accepts every record. `changes`: how many changes its
 * callers may make.
 */
function scene({ changes = 0, open = [] as object[] } = {}) {
  const ledger = createMemoryLedger({ clock: () => 1_000, epoch: 'ep-1' });
  const logged: { event: string; id: string }[] = [];
  const append = async (_: string, records: readonly { value: string | Uint8Array }[]) => {
    for (const { value } of records) {
      const { event, kill, revive } = JSON.parse(String(value));
      logged.push({ event, id: (kill ?? revive).id });
    }
    return [];
  };
  const log = silentLogger();
  const journal = new CommandJournal({ bus: { append }, log, maxUnlogged: 10 });
  const replies = new PendingReplies({ maxWaiting: 1, maxRecent: 1, maxRecentBytes: 1 });
  const gateway = {
    ledger: Object.assign(Object.create(ledger), { open: async () => open }),
    clock: () => 1_000,
    log,
    journal,
    measures: gatewayMeasures(createMetrics({ service: 'test' }), {
      replies,
      journal,
      undecided: new UndecidedRecords(2),
    }),
    lastKills: new LastKills(),
    controlRevision: () => 0,
    register: { statusOf: (_: string, agentId: string) => (agentId === 'bot' ? 'registered' : null) },
    refused: { wasDecided: (_: string, agentId: string) => agentId === 'decided' },
  } as unknown as Gateway;
  let left = changes;
  let ids = 0;
  const spend = () => {
    left -= 1;
    if (left < 0) throw new HttpProblem(429, 'TOO_MANY_CHANGES', 'too many', { remedy: 'Wait.' });
  };
  const trySpend = () => {
    left -= 1;
    return left >= 0;
  };
  return {
    gateway,
    logged,
    changesLeft: () => left,
    /** Returns the id of the kill in force, or the code of the refusal. */
    async kill(target: KillTarget, { by = 'ann', reason = 'amok', idempotencyKey = '', id = '' } = {}) {
      ids += 1;
      const headers = idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey };
      const command = { id: id === '' ? `kil_${ids}` : id, by, reason };
      const request = { headers, spend, trySpend } as never;
      return boundedKill(gateway, request, target, command).then(
        ({ commandId }) => commandId,
        (error) => error.code,
      );
    },
  };
}

test('a repeat of the last kill is the same command, and the first kill after a revive is a new command', async () => {
  const { kill, gateway, logged } = scene();
  expect([await kill(BOT), await kill(BOT), await kill(BOT)]).toEqual(['kil_1', 'kil_1', 'kil_1']);
  expect(logged).toEqual([{ event: 'agent.killed', id: 'kil_1' }]);
  await revive(gateway, BOT, { id: 'rev_1', by: 'ann', reason: 'well again' });
  expect([await kill(BOT), await kill(BOT)]).toEqual(['kil_4', 'kil_4']);
  expect(logged.map(({ id }) => id)).toEqual(['kil_1', 'rev_1', 'kil_4']);
});

test('a kill takes effect even if a revive comes after the kill has read the flag', async () => {
  const { kill, gateway } = scene();
  await kill(BOT);
  const { flag } = Object.getPrototypeOf(gateway.ledger);
  Object.assign(gateway.ledger as object, {
    flag: async (target: KillTarget) => {
      const seen = await flag.call(gateway.ledger, target);
      Object.assign(gateway.ledger as object, { flag });
      await revive(gateway, BOT, { id: 'rev_1', by: 'ann', reason: 'well again' });
      return seen;
    },
  });
  expect(await kill(BOT)).toBe('kil_2');
  expect(await gateway.ledger?.flag(BOT)).toMatchObject({ killed: true });
});

test.each([
  ['another reason', { reason: 'spends too much' }],
  ['another key', { by: 'bob' }],
])('%s makes a new command, which counts as a change', async (_, differs) => {
  const { kill, logged, changesLeft } = scene({ changes: 1 });
  await kill(BOT);
  expect([await kill(BOT, differs), changesLeft()]).toEqual(['kil_2', 0]);
  expect(await kill(BOT)).toBe('TOO_MANY_CHANGES');
  expect(logged.map(({ id }) => id)).toEqual(['kil_1', 'kil_2']);
});

test('another Idempotency-Key makes a new command, which counts as a change', async () => {
  const { kill, logged } = scene({ changes: 1 });
  await kill(BOT);
  expect(await kill(BOT, { idempotencyKey: 'incident-7' })).toBe('kil_2');
  expect(await kill(BOT, { idempotencyKey: 'incident-8' })).toBe('TOO_MANY_CHANGES');
  expect(logged.map(({ id }) => id)).toEqual(['kil_1', 'kil_2']);
});

test('a kill with the same Idempotency-Key is the same command, even with another reason', async () => {
  const { kill } = scene();
  const first = await kill(BOT, { idempotencyKey: 'incident-7', id: 'kil_of_key' });
  const again = await kill(BOT, { idempotencyKey: 'incident-7', id: 'kil_of_key', reason: 'another' });
  expect([first, again]).toEqual(['kil_of_key', 'kil_of_key']);
});

test('a kill counts as a change if another gateway has killed the target', async () => {
  const { kill, gateway } = scene({ changes: 1 });
  await gateway.ledger?.kill(BOT, { id: 'kil_elsewhere', by: 'ann', reason: 'amok' });
  expect([await kill(BOT), await kill(BOT)]).toEqual(['kil_1', 'kil_1']);
  await gateway.ledger?.kill(BOT, { id: 'kil_elsewhere_too', by: 'ann', reason: 'amok' });
  expect(await kill(BOT)).toBe('TOO_MANY_CHANGES');
});

test('counts a kill of an unknown agent as a change, but no kill that may stop something', async () => {
  const { kill, changesLeft } = scene({ changes: 1 });
  await kill(BOT);
  await kill({ ...BOT, scope: 'subtree' });
  await kill({ ...BOT, agentId: 'decided' });
  await kill({ scope: 'tenant', tenant: 'acme' });
  await kill({ scope: 'all' });
  expect(changesLeft()).toBe(1);
  expect(await kill(MADE_UP)).toBe('kil_6');
  expect(await kill({ ...MADE_UP, scope: 'subtree' })).toBe('TOO_MANY_CHANGES');
  const running = scene({ open: [{}] });
  expect(await running.kill(MADE_UP)).toBe('kil_1');
});

test('refuses no kill only because the ledger cannot read the flag', async () => {
  const { kill, gateway } = scene();
  Object.assign(gateway.ledger as object, { flag: () => Promise.reject(new Error('not now')) });
  expect([await kill(MADE_UP), await kill(MADE_UP)]).toEqual(['kil_1', 'kil_2']);
});

test('remembers the last kills of 10,000 targets', () => {
  const kills = new LastKills();
  const targetOf = (at: number): KillTarget => ({ ...BOT, agentId: `bot-${at}` });
  const command = { id: 'kil', by: 'ann', reason: 'amok' };
  for (let at = 0; at <= 10_000; at += 1) kills.set(targetOf(at), { command, revision: at });
  expect([0, 1, 10_000].map((at) => kills.get(targetOf(at))?.revision)).toEqual([undefined, 1, 10_000]);
});
