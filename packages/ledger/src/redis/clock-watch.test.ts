import { silentLogger } from '@mandate/runtime';
import { expect, test, vi } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

test('reports a jump forward once, with tenant and size, and does not report the normal passing of time', () => {
  const log = silentLogger();
  const error = vi.spyOn(log, 'error');
  let steadyMs = 0;
  const watch = createClockWatch(log, () => steadyMs);
  watch('a', ['OK', 1_000]);
  watch('b', ['OK', 900_000]);
  steadyMs = 60_000;
  watch('a', ['OK', 61_000]);
  watch('b', ['CORRUPT', 'topic/0/0']);
  expect(error).not.toHaveBeenCalled();
  steadyMs = 61_000;
  watch('a', ['OK', 68_000]);
  watch('a', ['OK', 68_000]);
  expect(error.mock.calls.map(([facts]) => facts)).toEqual([{ tenant: 'a', stepMs: 6_000 }]);
});
