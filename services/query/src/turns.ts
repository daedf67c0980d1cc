/**
 * Who may ask ClickHouse now, and who waits. One tenant takes at most half of either, and of those who wait goes first
 * whose tenant has the least under way: however much one asks, the others are answered.
 */
import { HttpProblem } from '@mandate/server';

/** Does `work` when it is its turn. Throws HttpProblem 503 OVERLOADED at once where there is no place to wait. */
export type InTurn = <T>(tenant: string, givenUp: AbortSignal, work: () => Promise<T>) => Promise<T>;

type Place = { tenant: string; go(): void };

export function createTurns(most: { running: number; waiting: number }): InTurn {
  const running = new Set<Place>();
  const waiting = new Set<Place>();

  function letIn(): void {
    while (running.size < most.running) {
      const [next] = [...waiting]
        .filter(({ tenant }) => placesOf(tenant, running) < most.running / 2)
        .sort((a, b) => placesOf(a.tenant, running) - placesOf(b.tenant, running));
      if (next === undefined) return;
      waiting.delete(next);
      running.add(next);
      next.go();
    }
  }

  return async (tenant, givenUp, work) => {
    const turn = Promise.withResolvers<void>();
    const place = { tenant, go: turn.resolve };
    waiting.add(place);
    letIn();
    if (waiting.size > most.waiting || placesOf(tenant, waiting) > most.waiting / 2) {
      waiting.delete(place);
      throw overloaded();
    }
    const leave = () => {
      waiting.delete(place);
      turn.reject(givenUp.reason);
    };
    givenUp.addEventListener('abort', leave);
    try {
      await turn.promise;
      return await work();
    } finally {
      // A live stream asks thousands of times under one signal.
      givenUp.removeEventListener('abort', leave);
      running.delete(place);
      letIn();
    }
  };
}

function placesOf(tenant: string, places: ReadonlySet<Place>): number {
  return [...places].filter((place) => place.tenant === tenant).length;
}

function overloaded(): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', 'too many questions are under way', {
    remedy: 'Ask again in a moment, and less at a time.',
    headers: { 'retry-after': '1' },
  });
}
