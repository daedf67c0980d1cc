/**
 * Limits how many steps a runner performs at one time. The other steps wait in the order of their arrival, and tenants
 * take turns. A run that waits for a person, or for its next attempt, performs no step, so it needs no place.
 */
import { FairQueue } from '@mandate/runtime';
import type { PerformStep } from './perform-step.ts';

type Waiting = { tenant: string; begin(): void; isGone: boolean };

export type BoundedSteps = {
  perform: PerformStep;
  running(): number;
  waiting(): number;
};

export function boundSteps(perform: PerformStep, most: number): BoundedSteps {
  const queue = new FairQueue<Waiting>();
  let running = 0;
  let waiting = 0;

  function letIn(): void {
    while (running < most) {
      const next = queue.take();
      if (next === undefined) return;
      if (next.isGone) continue;
      running += 1;
      queue.charge([next.tenant], 1);
      next.begin();
    }
  }

  /** Resolves to true when there is a place, and to false if the signal aborts first. */
  async function hasPlace(tenant: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const entry = { tenant, begin: () => resolve(true), isGone: false };
    const leave = () => {
      entry.isGone = true;
      resolve(false);
    };
    signal.addEventListener('abort', leave);
    waiting += 1;
    queue.add([tenant], entry);
    letIn();
    try {
      return await promise;
    } finally {
      waiting -= 1;
      signal.removeEventListener('abort', leave);
    }
  }

  return {
    async perform(work) {
      if (!(await hasPlace(work.run.started.tenant, work.signal))) return null;
      try {
        return await perform(work);
      } finally {
        running -= 1;
        letIn();
      }
    },
    running: () => running,
    waiting: () => waiting,
  };
}
