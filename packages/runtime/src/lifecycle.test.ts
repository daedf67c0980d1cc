import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type LifecyclePart, runLifecycle } from './lifecycle.ts';
import { silentLogger } from './logger.ts';

/** Returns parts that record their starts and stops. */
function stage() {
  const events: string[] = [];
  const lines: string[] = [];
  const log = {
    ...silentLogger(),
    error: (...line: unknown[]) => {
      lines.push(inspect(line));
    },
  };
  const stop = new AbortController();
  const part = (name: string, more: Partial<LifecyclePart> & { finished?: Promise<unknown> } = {}) => ({
    name,
    start: async () => {
      events.push(`+${name}`);
      return {
        stop: async () => {
          events.push(`-${name}`);
        },
        ...(more.finished === undefined ? {} : { finished: more.finished }),
      };
    },
    ...more,
  });
  const run = (parts: LifecyclePart[], onStarted?: () => void) =>
    runLifecycle({ log, parts, stop: stop.signal, ...(onStarted === undefined ? {} : { onStarted }) });
  return { events, lines, stop, part, run };
}

const never = new Promise<never>(() => {});

describe('runLifecycle', () => {
  test('starts in order, waits for the stop signal, stops in reverse, exits with 0', async () => {
    const { events, stop, part, run } = stage();
    const code = await run([part('bus'), part('ledger'), part('http')], () => {
      events.push('started');
      stop.abort();
    });
    expect(events).toEqual(['+bus', '+ledger', '+http', 'started', '-http', '-ledger', '-bus']);
    expect(code).toBe(0);
  });

  test('stops the started parts if a start fails', async () => {
    const { events, lines, part, run } = stage();
    const broken = part('ledger', { start: async () => Promise.reject(new Error('no disk')) });
    expect(await run([part('bus'), broken, part('http')])).toBe(1);
    expect(events).toEqual(['+bus', '-bus']);
    expect(lines.join()).toContain('ledger did not start');
    expect(lines.join()).toContain('no disk');
  });

  test('handles a start that throws like a start that rejects', async () => {
    const { events, part, run } = stage();
    const broken = part('ledger', {
      start: () => {
        throw new Error('no');
      },
    });
    expect(await run([part('bus'), broken])).toBe(1);
    expect(events).toEqual(['+bus', '-bus']);
  });

  test('fails a start that takes too long, and stops the part if the part becomes ready later', async () => {
    const { events, lines, part, run } = stage();
    const late = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const slow = part('ledger', {
      startTimeoutMs: 5,
      start: async () => {
        await late.promise;
        return { stop: async () => stopped.resolve() };
      },
    });
    expect(await run([part('bus'), slow])).toBe(1);
    expect(events).toEqual(['+bus', '-bus']);
    expect(lines.join()).toContain('START_TIMEOUT');
    late.resolve();
    await stopped.promise;
  });

  test('stops everything after a failure right after the start', async () => {
    const { events, part, run } = stage();
    const code = await run([part('bus')], () => {
      throw new Error('no');
    });
    expect({ code, events }).toEqual({ code: 1, events: ['+bus', '-bus'] });
  });

  test('stops everything after a failure in the background', async () => {
    const { events, lines, part, run } = stage();
    const background = Promise.withResolvers<void>();
    const code = await run(
      [part('bus'), part('decider', { finished: background.promise }), part('http')],
      () => background.reject(new Error('consumer died')),
    );
    expect(code).toBe(1);
    expect(events).toEqual(['+bus', '+decider', '+http', '-http', '-decider', '-bus']);
    expect(lines.join()).toContain('consumer died');
  });

  test('continues if background work ends without an error', async () => {
    const { events, stop, part, run } = stage();
    const running = run([part('job', { finished: Promise.resolve() }), part('http')]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['+job', '+http']);
    stop.abort();
    expect(await running).toBe(0);
  });

  test('stops the running parts and starts no more, if the stop signal comes during the start', async () => {
    const { events, stop, part, run } = stage();
    const impatient = part('ledger', {
      start: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('given up')));
          stop.abort();
        }),
    });
    expect(await run([part('bus'), impatient, part('http')])).toBe(0);
    expect(events).toEqual(['+bus', '-bus']);
  });

  test('starts nothing if the stop signal comes before the start', async () => {
    const { events, stop, part, run } = stage();
    stop.abort();
    expect(await run([part('bus')])).toBe(0);
    expect(events).toEqual([]);
  });

  test('stops the other parts if a stop fails or hangs', async () => {
    const { events, lines, stop, part, run } = stage();
    const hanging = part('hanging', { stopTimeoutMs: 5, start: async () => ({ stop: () => never }) });
    const failing = part('failing', {
      start: async () => ({ stop: async () => Promise.reject(new Error('stuck')) }),
    });
    expect(await run([part('bus'), hanging, failing], () => stop.abort())).toBe(1);
    expect(events).toEqual(['+bus', '-bus']);
    expect(lines.join()).toContain('STOP_TIMEOUT');
    expect(lines.join()).toContain('stuck');
  });
});
