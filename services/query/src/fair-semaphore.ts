/**
 * A semaphore that is fair to tenants. It limits how many questions ClickHouse answers at one time, and how many
 * wait. One tenant has at most half of the running and half of the waiting questions. The next question comes from
 * the tenant with the fewest running questions. So a tenant with many questions does not block other tenants.
 */
import { HttpProblem } from '@mandate/server';

export type FairSemaphore = {
  /**
   * Runs `work` as soon as possible. If `givenUp` aborts earlier, rejects with the reason of the signal.
   *
   * @throws HttpProblem 503 OVERLOADED at once, if too many questions already wait
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
      // The listener is removed, because a live stream asks thousands of questions with the same signal.
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
