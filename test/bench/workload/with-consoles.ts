import { fork } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '@mandate/testing';

/** A console for each key. */
export type Consoles = { url: string; keys: readonly string[] };

export type OpenConsoles = {
  /** Resolves when so many events have reached the consoles in all. Throws after a minute. */
  haveGot(events: number): Promise<void>;
  close(): Promise<void>;
};

/** Opens consoles in a process of their own. */
export async function openConsoles(consoles: Consoles): Promise<OpenConsoles> {
  const child = fork(new URL('./open-consoles.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  child.send(consoles);
  await once(child, 'message');
  let got = 0;
  child.on('message', (events: number) => {
    got = events;
  });
  return {
    haveGot: async (events) => void (await waitUntil('the events', () => got >= events, 60_000)),
    async close() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
