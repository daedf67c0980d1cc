/** A runner in a process of its own, as on another machine: it shares only the log with the plane. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../../../services/runner/src/main.ts');

export type RunnerSettings = {
  /** The data folder of the plane, with the log. */
  data: string;
  /** The path of runner.yaml. */
  file: string;
  planeUrl: string;
  key: string;
};

export type RunnerProcess = {
  /** Sends the signal, and waits until the process has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
};

/** How long a runner must be silent before another one takes its runs over. */
const SILENCE_MS = 1_000;

/** Resolves once the runner performs runs. It must be ended, also if the demo is stopped. */
export async function startRunner(settings: RunnerSettings, signal: AbortSignal): Promise<RunnerProcess> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      MANDATE_RUNNER_DATA_PATH: settings.data,
      MANDATE_RUNNER_CONFIG_PATH: settings.file,
      MANDATE_RUNNER_PLANE_URL: settings.planeUrl,
      MANDATE_RUNNER_API_KEY: settings.key,
      MANDATE_RUNNER_PORT: '0',
      MANDATE_RUNNER_SESSION_TIMEOUT_MS: String(SILENCE_MS),
      NODE_COMPILE_CACHE: getCompileCacheDir(),
    },
  });
  const ended = once(child, 'exit');
  const runner: RunnerProcess = {
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
  try {
    await new Promise<void>((resolve, reject) => {
      let last = '';
      // Every line is read, also after the start, because a full pipe would stop the process.
      createInterface(child.stderr).on('line', (line) => {
        last = line;
        if (line.includes('"msg":"listening"')) resolve();
      });
      ended.then(([code]) => reject(new Error(`the runner ended with ${code}: ${last}`)), reject);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return runner;
  } catch (error) {
    await runner.end('SIGTERM');
    throw error;
  }
}
