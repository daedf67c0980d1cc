import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inTime, runUntilAborted } from './bounded-wait.ts';

const listenersOf = ({ signal }: AbortController) => getEventListeners(signal, 'abort').length;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the rejections that no code handles until the test ends. */
function unhandledRejections(): unknown[] {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return unhandled;
}

describe('a wait that an abort ends', () => {
  test('returns the result or the error of the work, and then removes its listener from the signal', async () => {
    const stop = new AbortController();
    const wait = runUntilAborted(stop.signal, async () => 'done');
    expect(listenersOf(stop)).toBe(1);
    expect([await wait, listenersOf(stop)]).toEqual(['done', 0]);
    const failing = runUntilAborted(stop.signal, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(listenersOf(stop)).toBe(0);
  });

  test('throws the reason of the signal at once, and ignores a late failure of the work', async () => {
    const unhandled = unhandledRejections();
    const stop = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const wait = runUntilAborted(stop.signal, () => promise);
    stop.abort(new Error('stopped'));
    await expect(wait).rejects.toThrow('stopped');
    reject(new Error('late'));
    await turn();
    expect([unhandled, listenersOf(stop)]).toEqual([[], 0]);
  });

  test('does not start the work if the signal was aborted before', async () => {
    const work = vi.fn();
    const wait = runUntilAborted(AbortSignal.abort(new Error('stopped')), work);
    await expect(wait).rejects.toThrow('stopped');
    expect(work).not.toHaveBeenCalled();
  });

  test('lasts until the work has ended, if an abort comes after the work called `finished`', async () => {
    const stop = new AbortController();
    const wait = runUntilAborted(stop.signal, async (finished) => {
      finished();
      stop.abort();
      await turn();
      return 'done';
    });
    expect(await wait).toBe('done');
  });
});

describe('a wait with a time limit', () => {
  const late = () => new Error('late');
  afterEach(() => void vi.useRealTimers());

  test('returns the result or the error of the work, and clears its timer', async () => {
    vi.useFakeTimers();
    expect(await inTime(60_000, Promise.resolve('done'), late)).toBe('done');
    await expect(inTime(60_000, Promise.reject(new Error('no')), late)).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('throws after the time, and ignores a late failure of the work', async () => {
    const unhandled = unhandledRejections();
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(inTime(1, promise, late)).rejects.toThrow('late');
    reject(new Error('too late'));
    await turn();
    expect(unhandled).toEqual([]);
  });
});
