/** The process of the plane, with its runner, is killed in the middle of runs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { byLength, waitUntil } from '@mandate/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAYS, REFUND, type RunPlane, startRunPlane } from './run-plane.ts';

let plane: RunPlane;

/** No person is asked, so that a run has no pause at which it would be safe. */
const unasked = (name: string, more: object = {}) => ({
  ...REFUND,
  metadata: { ...REFUND.metadata, name },
  ...more,
});
/** How long after the start of three runs the plane is killed, in ms. */
const KILLED_AFTER_MS = byLength({ short: [0, 50, 125], full: [0, 25, 50, 75, 100, 125] });
const NO_QUESTIONS = { risk: { critical: {} } };

beforeAll(async () => {
  plane = await startRunPlane({ script: PAYS });
  await plane.publish(unasked('quick'), NO_QUESTIONS);
  await plane.publish(REFUND);
});

afterAll(() => plane.stop());

const paysOf = (run: string) => plane.effects().filter((line) => line.startsWith(`pay ${run}:`));

test('after kill -9 at any moment no completed tool is called again, and an uncertain one waits for a person', async () => {
  const runs: string[] = [];
  for (const killedAfterMs of KILLED_AFTER_MS) {
    const started = await Promise.all(
      Array.from({ length: 3 }, () => plane.run('quick', { customer: 'Ada' })),
    );
    runs.push(...started);
    await sleep(killedAfterMs);
    await plane.crash();
    await plane.restart();
  }
  for (const id of runs) {
    const run = await plane.until(id, 'waiting', 'completed');
    if (run.status === 'completed') {
      expect(paysOf(id)).toHaveLength(1);
      continue;
    }
    expect(run.waiting).toMatchObject({ for: 'resolution', step: 'refund', tool: 'pay' });
    const before = paysOf(id).length;
    expect(before).toBeLessThanOrEqual(1);
    // The bank's book says whether it was done.
    const body = before === 1 ? { done: true, output: 'Paid 3 dollars to Ada.' } : { done: false };
    await plane.api().post(`/v1/runs/${id}/steps/refund/resolve`, body);
    await plane.until(id, 'completed');
    expect(paysOf(id)).toHaveLength(1);
  }
});

test('an approval that comes after a restart lets the run go on', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  await plane.until(id, 'waiting');
  await plane.crash();
  await plane.restart();
  const waiting = await plane.until(id, 'waiting');
  await plane.approve(waiting);
  expect((await plane.until(id, 'completed')).outputs).toEqual({ summary: 'Ada was paid.' });
  expect(paysOf(id)).toHaveLength(1);
});

test('the log, the decisions and the bank agree on what was done', async () => {
  const id = await plane.run('quick', { customer: 'Ada' });
  await plane.until(id, 'completed');
  const decided = await waitUntil('the decisions are in the audit', async () => {
    const rows = await plane.decisions({ agent: 'quick.clerk' });
    const own = rows.filter((row) => String(row.actionId).startsWith(`${id}:`));
    return own.length >= 5 ? own : null;
  });
  expect(decided.map((row) => [row.actionId, row.verdict]).sort()).toEqual(
    ['m1', 'm2', 'm3', 't1', 't2'].map((call) => [`${id}:refund:1:${call}`, 'ALLOW']),
  );
});
