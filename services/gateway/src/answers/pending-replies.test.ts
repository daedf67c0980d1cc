import type { Decision } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { posted, sourceAt } from './decided.fixture.ts';
import { PendingReplies } from './pending-replies.ts';
import { RecentAnswers } from './recent-answers.ts';

const NOBODY_GONE = new AbortController().signal;

const HOLDER = { tenant: 'acme', key: 'k1' };

const replies = (bounds: { maxWaiting?: number; maxRecent?: number } = {}) =>
  new PendingReplies({ maxWaiting: 100, maxRecent: 100, maxRecentBytes: 1_000_000, ...bounds });

describe('pending replies', () => {
  test('wake every caller that waits for a log position, and answer later callers for this position', async () => {
    const answers = replies();
    const early = [1, 2].map(() => answers.reserve(1, HOLDER).answers([sourceAt(7)], 60_000, NOBODY_GONE));
    answers.resolve(posted(6), 10);
    answers.resolve(posted(7), 10);
    expect(await Promise.all(early)).toEqual([[posted(7)], [posted(7)]]);
    expect(await answers.reserve(1, HOLDER).answers([sourceAt(7)], 60_000, NOBODY_GONE)).toEqual([posted(7)]);
  });

  test('return the answers that came in time, in the order of the request', async () => {
    const answers = replies();
    const waiting = answers.reserve(3, HOLDER).answers([3, 1, 2].map(sourceAt), 50, NOBODY_GONE);
    answers.resolve(posted(2), 10);
    answers.resolve(posted(3), 10);
    expect(await waiting).toEqual([posted(3), null, posted(2)]);
  });

  test("end a caller's wait when its connection ends, and all waits on close", async () => {
    const answers = replies();
    const gone = new AbortController();
    const leaving = answers.reserve(1, HOLDER).answers([sourceAt(1)], 60_000, gone.signal);
    const staying = answers.reserve(1, HOLDER).answers([sourceAt(1)], 60_000, NOBODY_GONE);
    gone.abort();
    expect(await leaving).toEqual([null]);
    answers.close();
    expect(await staying).toEqual([null]);
    expect(await answers.reserve(1, HOLDER).answers([sourceAt(1)], 60_000, NOBODY_GONE)).toEqual([null]);
  });

  test('limit the reserved places of a key, and free a reservation only once', () => {
    const answers = replies({ maxWaiting: 12 });
    const places = answers.reserve(2, HOLDER);
    expect(() => answers.reserve(2, HOLDER)).toThrow('waits for 2 answers');
    places.release();
    places.release();
    expect(answers.reserved).toBe(0);
    answers.reserve(3, HOLDER);
    expect(() => answers.reserve(1, HOLDER)).toThrow();
    answers.reserve(0, HOLDER);
  });

  test('if a new caller finds no free place, the caller with the most reserved places is answered at once', async () => {
    const answers = replies({ maxWaiting: 8 });
    const hoarders = ['a/1', 'a/2', 'b/1', 'b/2'].map((name) => {
      const [tenant = ''] = name.split('/');
      return answers.reserve(2, { tenant, key: name }).answers([1, 2].map(sourceAt), 60_000, NOBODY_GONE);
    });
    const waiting = answers
      .reserve(1, { tenant: 'c', key: 'c/1' })
      .answers([sourceAt(7)], 60_000, NOBODY_GONE);
    expect(await Promise.race(hoarders)).toEqual([null, null]);
    answers.resolve(posted(7), 10);
    expect(await waiting).toEqual([posted(7)]);
  });
});

describe('recent answers', () => {
  const everybody = () => true;
  const kept = (bounds: { count?: number; bytes?: number }, ...answers: ReturnType<typeof posted>[]) => {
    const recent = new RecentAnswers({ count: 100, bytes: 1_000, ...bounds });
    for (const answer of answers) recent.add(answer, 100);
    return recent;
  };

  test('keep the newest answers, by count and by bytes, and forget an action with its last decision', () => {
    for (const bounds of [{ count: 2 }, { bytes: 250 }]) {
      const recent = kept(bounds, posted(1), posted(2), posted(3));
      expect([1, 2, 3].map((offset) => recent.of(sourceAt(offset)) !== null)).toEqual([false, true, true]);
      expect(recent.standing('acme', { actionId: 'a-1' }, everybody)).toBeNull();
      expect(recent.standing('acme', { actionId: 'a-2' }, everybody)).not.toBeNull();
    }
  });

  test('count the same answer only once, even if it is added again', () => {
    const recent = kept({ count: 2 }, posted(1), posted(2), posted(2), posted(2));
    expect(recent.of(sourceAt(1))).not.toBeNull();
  });

  const of = (offset: number, more: Partial<Decision>) => posted(offset, { actionId: 'a', ...more });

  test.each([
    [
      'return the first decision, not a duplicate',
      [of(1, {}), of(2, { kind: 'duplicate', verdict: 'BLOCK' })],
      1,
    ],
    ['return a decision instead of its duplicate', [of(1, { kind: 'duplicate' }), of(2, {})], 2],
    ['return the decision after a DEFER', [of(1, { verdict: 'DEFER' }), of(2, {}), of(3, {})], 2],
    ['return the newest attempt', [of(1, { attempt: 1 }), of(2, { attempt: 2 })], 2],
  ])('%s', (_rule, answers, standing) => {
    expect(kept({}, ...answers).standing('acme', { actionId: 'a' }, everybody)?.decision.source).toEqual(
      sourceAt(standing),
    );
  });

  test('are found by tenant, agent and attempt, and only for visible agents', () => {
    const recent = kept({}, of(1, { attempt: 1 }), of(2, { attempt: 2 }), of(3, { agentId: 'other' }));
    const ask = (tenant: string, name: object, visible: (agentId: string) => boolean = everybody) =>
      recent.standing(tenant, { actionId: 'a', ...name }, visible)?.decision.source.offset;
    expect(ask('acme', { attempt: 1, agentId: 'bot' })).toBe(1);
    expect(ask('acme', { agentId: 'other' })).toBe(3);
    expect(ask('acme', {}, (agentId) => agentId === 'other')).toBe(3);
    expect(ask('acme', { attempt: 3 })).toBeUndefined();
    expect(ask('globex', {})).toBeUndefined();
  });
});
