/** Starts the process that approves questions. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { MandateOptions } from '../../index.ts';

export type Approver = { approve(approvalId: string): Promise<void>; stop(): void };

type Answer = { approvalId: string; error: string | null };

export async function startApprover(options: MandateOptions): Promise<Approver> {
  const child = fork(new URL('../approver.fixture.ts', import.meta.url), [JSON.stringify(options)]);
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the process ended with ${code}`))),
  ]);
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  child.on('message', (message) => {
    const { approvalId, error } = message as Answer;
    if (error === null) waiting.get(approvalId)?.resolve();
    else waiting.get(approvalId)?.reject(new Error(error));
  });
  return {
    approve(approvalId) {
      const answer = Promise.withResolvers<void>();
      waiting.set(approvalId, answer);
      child.send({ approvalId });
      return answer.promise;
    },
    stop: () => void child.kill(),
  };
}
