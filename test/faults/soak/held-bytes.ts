/**
 * What a process of Node holds on to: asked over its debugger, which it opens on SIGUSR1, once that has collected the garbage.
 * Its resident set does not say: V8 and malloc keep what a rebuild once took.
 */
import { type StartedProcess, waitUntil } from '@mandate/testing';

const PATIENCE_MS = 10_000;

/** Resolves once it can be asked; each answer is in bytes, of objects and buffers, and null where none comes in time. */
export async function debugHeap({ process, errors }: StartedProcess): Promise<() => Promise<number | null>> {
  process.kill('SIGUSR1');
  const said = () => /^Debugger listening on (ws:\S+)$/m.exec(errors())?.[1];
  const url = await waitUntil('the debugger to listen', said, PATIENCE_MS);
  return async () => {
    // Closed each time: a process waits with its end for those who debug it.
    const socket = new WebSocket(url);
    try {
      const ask = asking(socket, AbortSignal.timeout(PATIENCE_MS));
      await ask('HeapProfiler.collectGarbage');
      const { usedSize, backingStorageSize } = await ask('Runtime.getHeapUsage');
      return Number(usedSize) + Number(backingStorageSize);
    } catch {
      return null;
    } finally {
      socket.close();
    }
  };
}

type Result = Readonly<Record<string, unknown>>;

/** One question at a time, of Chrome's DevTools protocol. */
function asking(socket: WebSocket, signal: AbortSignal): (method: string) => Promise<Result> {
  const next = (event: 'open' | 'message') =>
    new Promise<unknown>((resolve, reject) => {
      const options = { once: true, signal };
      socket.addEventListener(event, (heard) => resolve('data' in heard ? heard.data : null), options);
      socket.addEventListener('error', () => reject(new Error('the debugger is not there')), options);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const opened = next('open');
  let id = 0;
  return async (method) => {
    await opened;
    id += 1;
    const answered = next('message');
    socket.send(JSON.stringify({ id, method }));
    const answer = JSON.parse(String(await answered)) as { id: number; result: Result };
    if (answer.id !== id) throw new Error('the debugger said something that it was not asked');
    return answer.result;
  };
}
