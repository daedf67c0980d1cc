import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Starts fixed-model.ts, so that the CPU time of the model is not that of the measured process. */
export async function startModelProcess(): Promise<Disposable & { url: string }> {
  const child = fork(new URL('./fixed-model.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  const [url] = await once(child, 'message');
  return { url, [Symbol.dispose]: () => void child.kill() };
}
