import { EventEmitter } from 'node:events';
import { inRequest, silentLogger } from '@mandate/runtime';
import { describe, expect, test } from 'vitest';
import { type ProcessPort, runProcess } from './run-process.ts';

/** A fake process. It does not end, but records how it would have ended. */
class FakeProcess extends EventEmitter implements ProcessPort {
  readonly exits: number[] = [];
  exitCode: ProcessPort['exitCode'] = undefined;
  exit(code: number) {
    this.exits.push(code);
  }
}

const log = silentLogger();

describe('runProcess', () => {
  test.each(['SIGTERM', 'SIGINT'])('%s stops gracefully and exits with 0', async (signal) => {
    const process = new FakeProcess();
    const stopped: string[] = [];
    const part = { name: 'p', start: async () => ({ stop: async () => void stopped.push('p') }) };
    await runProcess(process, { log, parts: [part], onStarted: () => process.emit(signal, signal) });
    expect({ stopped, exits: process.exits, code: process.exitCode }).toEqual({
      stopped: ['p'],
      exits: [],
      code: 0,
    });
  });

  test('exits at once on a second signal', async () => {
    const process = new FakeProcess();
    const released = Promise.withResolvers<void>();
    const part = {
      name: 'slow',
      start: async () => ({
        stop: () => {
          process.emit('SIGTERM', 'SIGTERM');
          released.resolve();
          return released.promise;
        },
      }),
    };
    await runProcess(process, { log, parts: [part], onStarted: () => process.emit('SIGINT', 'SIGINT') });
    expect(process.exits).toEqual([143]);
  });

  test('exits with 1 for an uncaught exception', async () => {
    const process = new FakeProcess();
    const part = { name: 'p', start: async () => ({ stop: async () => {} }) };
    await runProcess(process, {
      log,
      parts: [part],
      onStarted: () => {
        process.emit('uncaughtException', new Error('disk full'));
        process.emit('SIGTERM', 'SIGTERM');
      },
    });
    expect(process.exits).toEqual([1]);
  });

  test('fails only the request if the exception belongs to a request', async () => {
    const process = new FakeProcess();
    const error = new Error('boom');
    const failures: unknown[] = [];
    const request = { fail: (failure: unknown) => void failures.push(failure) };
    const part = { name: 'p', start: async () => ({ stop: async () => {} }) };
    await runProcess(process, {
      log,
      parts: [part],
      onStarted: () => {
        inRequest(request, () => void process.emit('uncaughtException', error));
        process.emit('SIGTERM', 'SIGTERM');
      },
    });
    expect([process.exits, failures, process.exitCode]).toEqual([[], [error], 0]);
  });

  test('sets the exit code if a start fails', async () => {
    const process = new FakeProcess();
    await runProcess(process, {
      log,
      parts: [{ name: 'p', start: async () => Promise.reject(new Error('no')) }],
    });
    expect(process.exitCode).toBe(1);
  });
});
