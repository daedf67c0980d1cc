import { MandateError, silentLogger } from '@mandate/runtime';
import type { AgentRevived } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { type CommandEvent, CommandJournal } from './command-journal.ts';

function scene(maxUnlogged = 10) {
  const log = { away: false, refused: '', ids: [] as unknown[] };
  const journal = new CommandJournal({
    log: silentLogger(),
    maxUnlogged,
    bus: {
      append: async (_topic, records) => {
        if (log.away) throw new MandateError('BUS_UNAVAILABLE', 'away', { remedy: '', retryable: true });
        const reasons = records.map(({ value }) => JSON.parse(String(value)).revive.reason);
        if (reasons.includes(log.refused)) throw new MandateError('BUS_MISUSED', 'too large', { remedy: '' });
        log.ids.push(...reasons);
        return [];
      },
    },
  });
  return { log, journal };
}

function command(id: string, reason = id): CommandEvent {
  const target = { scope: 'all' as const };
  const event: AgentRevived = {
    event: 'agent.revived',
    revive: { id, by: 'test', reason, at: '2026-01-01T00:00:00Z', target, revision: 1 },
  };
  return { id, key: '*', event };
}

test('appends a command’s event once', async () => {
  const { log, journal } = scene();
  expect(await journal.record(command('c-1'))).toBe(true);
  expect(await journal.record(command('c-1', 'reworded'))).toBe(true);
  expect(await Promise.all([journal.record(command('c-2')), journal.record(command('c-2'))])).toEqual([
    true,
    true,
  ]);
  expect(log.ids).toEqual(['c-1', 'c-2']);
});

test('retries events in their order, and appends the first version of each event', async () => {
  const { log, journal } = scene();
  log.away = true;
  expect(await journal.record(command('c-1'))).toBe(false);
  expect(await journal.record(command('c-2'))).toBe(false);
  expect(await journal.record(command('c-1', 'reworded'))).toBe(false);
  expect(journal.unlogged).toBe(2);
  log.away = false;
  expect(await journal.record(command('c-1', 'reworded'))).toBe(true);
  await waitUntil('both on the log', () => journal.unlogged === 0);
  expect(log.ids).toEqual(['c-1', 'c-2']);
});

test('an event that the log refuses delays no later event', async () => {
  const { log, journal } = scene();
  log.refused = 'c-1';
  log.away = true;
  for (const id of ['c-1', 'c-2', 'c-3']) await journal.record(command(id));
  log.away = false;
  await waitUntil('the others on the log', () => log.ids.length === 2);
  expect(log.ids).toEqual(['c-2', 'c-3']);
  expect(journal.unlogged).toBe(1);
  log.refused = '';
  await waitUntil('all on the log', () => journal.unlogged === 0);
});

test('keeps a limited number of events, and tries them once more when it stops', async () => {
  const { log, journal } = scene(1);
  log.away = true;
  await journal.record(command('c-1'));
  expect(await journal.record(command('c-2'))).toBe(false);
  expect(journal.unlogged).toBe(1);
  log.away = false;
  await journal.stop();
  expect(log.ids).toEqual(['c-1']);
});

test('recordFirst fails if the log is away, and keeps no event', async () => {
  const { log, journal } = scene();
  log.away = true;
  await expect(journal.recordFirst(command('c-1'))).rejects.toThrow('away');
  expect([journal.unlogged, log.ids]).toEqual([0, []]);
  log.away = false;
  await journal.recordFirst(command('c-1'));
  expect(log.ids).toEqual(['c-1']);
});
