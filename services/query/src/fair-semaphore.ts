/**
 * A semaphore that is fair to tenants. It limits how many questions ClickHouse answers at one time, and how many wait. One
 * tenant has at most half of the running and half of the waiting. The next to run is a question of the tenant with the fewest
 * running. So one tenant with many questions does not keep the others from an answer.
 */
import { HttpProblem } from '@mandate/server';

export type FairSemaphore = {
  /**
   * Runs `work` as soon as it may run. If `givenUp` aborts before that, it rejects with the reason of the signal.
   *
   * @throws HttpProblem 503 OVERLOADED at once, if too many wait already
   */
  run<T>(tenant: string, givenUp: AbortSignal, work: () => Promise<T>): Promise<T>;
};

type Entry = { tenant: string; go(): void };

export function createFairSemaphore(most: { running: number; waiting: number }): FairSemaphore {
  const running = new Set<Entry>();
  const waiting = new Set<Entry>();

  function letIn(): void {
    while (running.size < most.running) {
      const [next] = [...waiting]
        .filter(({ tenant }) => countOf(tenant, running) < most.running / 2)
        .sort((a, b) => countOf(a.tenant, running) - countOf(b.tenant, running));
      if (next === undefined) return;
      waiting.delete(next);
      running.add(next);
      next.go();
    }
  }

  async function run<T>(tenant: string, givenUp: AbortSignal, work: () => Promise<T>): Promise<T> {
    const admission = Promise.withResolvers<void>();
    const entry = { tenant, go: admission.resolve };
    waiting.add(entry);
    letIn();
    if (waiting.size > most.waiting || countOf(tenant, waiting) > most.waiting / 2) {
      waiting.delete(entry);
      throw overloaded();
    }
    const leave = () => {
      waiting.delete(entry);
      admission.reject(givenUp.reason);
    };
    givenUp.addEventListener('abort', leave);
    try {
      await admission.promise;
      return await work();
    } finally {
      // A live stream asks thousands of times under one signal.
      givenUp.removeEventListener('abort', leave);
      running.delete(entry);
      letIn();
    }
  }

  return { run };
}

function countOf(tenant: string, entries: ReadonlySet<Entry>): number {
  return [...entries].filter((entry) => entry.tenant === tenant).length;
}

function overloaded(): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', 'too many questions are under way', {
    remedy: 'Try again in a moment, with fewer documents at a time.',
    headers: { 'retry-after': '1' },
  });
}
