/** Starts the process that approves questions. */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export type Approver = { approve(approvalId: string): Promise<void>; stop(): void };

type Answer = { approvalId: string; error: string | null };

export async function startApprover(settings: object): Promise<Approver> {
  const child = fork(new URL('../approver.fixture.ts', import.meta.url), [JSON.stringify(settings)]);
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the process ended with ${code}`))),
  ]);
  return {
    approve: (approvalId) =>
      new Promise((resolve, reject) => {
        const onAnswer = (answer: unknown) => {
          const { approvalId: answered, error } = answer as Answer;
          if (answered !== approvalId) return;
          child.off('message', onAnswer);
          if (error === null) resolve();
          else reject(new Error(error));
        };
        child.on('message', onAnswer);
        child.send({ approvalId });
      }),
    stop: () => void child.kill(),
  };
}
