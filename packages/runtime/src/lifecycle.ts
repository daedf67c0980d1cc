/**
 * The life of a process. Parts start in order, each after the previous part is ready. They stop in reverse order, so
 * that a part never loses a part that it needs. Every start and every stop has a time-out.
 */
import { MandateError } from './errors.ts';
import type { Logger } from './logger.ts';

/**
 * A running part. `finished` settles when the background work of the part ends. A rejection means that the part has
 * failed.
 */
export type Running = { stop(): Promise<void>; finished?: Promise<unknown> };

export type LifecyclePart = {
  name: string;
  /**
   * Resolves when the part is ready, so that the next part can start. `signal` aborts if the process must stop in the
   * meantime.
   */
  start(signal: AbortSignal): Promise<Running>;
  /** The time limit of the start in milliseconds. Default 30,000. */
  startTimeoutMs?: number;
  /** The time limit of the stop in milliseconds. Default 10,000. */
  stopTimeoutMs?: number;
};

/** 0: the process stopped cleanly on request. 1: a part failed while it started, ran or stopped. */
export type ExitCode = 0 | 1;

/**
 * Runs the parts until `stop` aborts or a part fails. Then stops the started parts in reverse order. Never throws. A
 * failure is logged and changes the exit code.
 */
export async function runLifecycle(options: {
  log: Logger;
  parts: readonly LifecyclePart[];
  stop: AbortSignal;
  onStarted?: () => void;
}): Promise<ExitCode> {
  const { log, parts, stop } = options;
  const started: { part: LifecyclePart; running: Running }[] = [];
  let exitCode: ExitCode = 0;

  const over = new AbortController();
  const ended = new Promise<void>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const end = () => over.abort();
  const fail = (err: unknown, message: string) => {
    exitCode = 1;
    log.error({ err }, message);
    end();
  };
  if (stop.aborted) end();
  else stop.addEventListener('abort', end, { once: true });

  for (const part of parts) {
    if (over.signal.aborted) break;
    try {
      const running = await startPart(part, over.signal, log);
      started.push({ part, running });
      running.finished?.catch((err: unknown) => fail(err, `${part.name} failed; stopping`));
      log.debug({ part: part.name }, 'started');
    } catch (err) {
      if (over.signal.aborted)
        log.info({ part: part.name, err }, 'gave up starting, as the process is stopping');
      else fail(err, `${part.name} did not start; stopping`);
      break;
    }
  }

  try {
    if (!over.signal.aborted) options.onStarted?.();
  } catch (err) {
    fail(err, 'all parts started, but a later step failed; stopping');
  }
  await ended;

  for (const { part, running } of started.reverse()) {
    try {
      const stopMs = part.stopTimeoutMs ?? 10_000;
      await within(running.stop(), stopMs, 'STOP_TIMEOUT', `${part.name} did not stop within ${stopMs} ms`);
      log.debug({ part: part.name }, 'stopped');
    } catch (err) {
      fail(err, `${part.name} did not stop cleanly`);
    }
  }
  return exitCode;
}

async function startPart(part: LifecyclePart, signal: AbortSignal, log: Logger): Promise<Running> {
  const startMs = part.startTimeoutMs ?? 30_000;
  const starting = part.start(signal);
  try {
    return await within(
      starting,
      startMs,
      'START_TIMEOUT',
      `${part.name} did not start within ${startMs} ms`,
    );
  } catch (error) {
    // A part that becomes ready after its time-out is stopped, because it still holds resources.
    void starting
      .then(
        async (running) => {
          await running.stop();
        },
        () => {},
      )
      .catch((err: unknown) => log.error({ err }, `${part.name} started late, and did not stop`));
    throw error;
  }
}

async function within<T>(work: Promise<T>, limitMs: number, code: string, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new MandateError(code, message, {
            remedy: 'Check the servers that the part connects to, and the earlier log lines.',
            retryable: true,
          }),
        ),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
