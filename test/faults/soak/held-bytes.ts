/**
 * Measures the bytes that a Node process needs after a garbage collection. The process opens its debugger on SIGUSR1,
 * and the debugger gives this number. The resident set is no measure, because V8 and malloc keep memory that a
 * rebuild once used.
 */
import { type StartedProcess, waitUntil } from '@mandate/testing';

const PATIENCE_MS = 10_000;

/**
 * Resolves when the debugger is open. The returned function gives the bytes of objects and buffers. It gives null if
 * no answer comes in time.
 */
export async function debugHeap({ process, errors }: StartedProcess): Promise<() => Promise<number | null>> {
  process.kill('SIGUSR1');
  const said = () => /^Debugger listening on (ws:\S+)$/m.exec(errors())?.[1];
  const url = await waitUntil('the debugger to listen', said, PATIENCE_MS);
  return async () => {
    // The connection is closed each time, because a process does not end while a debugger is connected.
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

/** Sends requests to the debugger, one at a time, in Chrome's DevTools protocol. */
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
