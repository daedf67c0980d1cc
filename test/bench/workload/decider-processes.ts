/**
 * Starts deciders in their own processes, which share the waiting requests. One message starts all of them, another
 * message ends them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The addresses of the log and of the ledger. */
export type DeciderOrder = { brokers: readonly string[]; url: string };

export type DeciderProcesses = {
  start(): void;
  /** Ends the processes. Returns their CPU time since `start`, in microseconds. */
  end(): Promise<number>;
};

/**
 * Starts the processes. Resolves when all of them are connected to the log and the ledger. No process has joined the
 * group yet.
 */
export async function connectDeciders(count: number, order: DeciderOrder): Promise<DeciderProcesses> {
  const children = Array.from({ length: count }, () =>
    fork(new URL('./decider-process.ts', import.meta.url), { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] }),
  );
  await Promise.all(children.map((child) => tell(child, order)));
  return {
    start: () => {
      for (const child of children) child.send('start');
    },
    async end() {
      const used = await Promise.all(children.map((child) => tell(child, 'end')));
      await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
      return used.reduce<number>((sum, micros) => sum + Number(micros), 0);
    },
  };
}

/** Sends a message and returns the answer. */
async function tell(child: ChildProcess, word: DeciderOrder | 'end'): Promise<unknown> {
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`a decider ended with ${code ?? by}`);
  });
  ended.catch(() => {});
  child.send(word);
  try {
    const [answer] = await Promise.race([once(child, 'message', { signal }), ended]);
    return answer;
  } finally {
    answered.abort();
  }
}
