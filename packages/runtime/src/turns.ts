/**
 * Turns of the event loop. All services of a process share one event loop. While one of them computes, no request is
 * answered, not even a kill. So work that may take more than a few milliseconds asks `isOver` between its steps, and
 * waits for its next turn when the turn is over.
 *
 * Waiting work continues in turns of `TURN_MS`. Between two turns Node serves sockets and timers. In each lane, the
 * work that has computed least is next. So a tenant with a thousand requests gets no more time than a tenant with
 * one, and all requests together get no more than the deciders.
 *
 * Turns decide when work is done. They never change its result.
 */
import { FairQueue, type Lane } from './fair-queue.ts';
import { outsideRequests } from './request-scope.ts';

export type { Lane } from './fair-queue.ts';

export type Turns = {
  /** True if the time of this turn is used up. */
  isOver(): boolean;
  /** True if new work must wait, because this turn is over or other work already waits. */
  isBusy(): boolean;
  /** Resolves when it is the caller's turn. The time until the caller's next wait is charged to the lane. */
  next(lane: Lane): Promise<void>;
  /** The number of waiting callers in the lane. */
  waitingIn(lane: Lane): number;
  /** Reports a new connection. Work then waits up to `turnMs` for further connections. */
  connected(): void;
};

/**
 * The length of a turn in milliseconds. It is long enough that waiting costs little. It is short enough that a
 * request with several turns is answered in time.
 */
const TURN_MS = 3;

/**
 * The weights of lanes. Work that callers wait for gets more time than background work, and more than requests that
 * bring new work. Otherwise a flood of actions would leave the deciders one eighth of the time.
 */
const WEIGHTS = new Map([
  ['deciders', 8],
  ['answers', 8],
  ['consumers', 4],
  ['readers', 4],
]);

export function createTurns({ now = () => performance.now(), turnMs = TURN_MS } = {}): Turns {
  const waiting = new FairQueue<{ lane: Lane; go(): void }>(WEIGHTS);
  let beganMs = 0;
  /** True if the turn that began at `beganMs` is still running. */
  let hasBegun = false;
  let isServing = false;
  /** True if a connection arrived since work was last checked. */
  let hasConnected = false;

  /** Begins a turn. It ends when Node runs its immediates. By then Node has served every socket that was ready. */
  function begin(): void {
    beganMs = now();
    if (hasBegun) return;
    hasBegun = true;
    outsideRequests(() =>
      setImmediate(() => {
        hasBegun = false;
      }),
    );
  }

  function isOver(): boolean {
    if (!hasBegun) begin();
    return now() - beganMs >= turnMs;
  }

  function serveSoon(): void {
    if (isServing) return;
    isServing = true;
    // The first waiting work starts this loop, and the loop serves all waiting work.
    const sinceMs = now();
    outsideRequests(() => setImmediate(serveAfterConnections, sinceMs));
  }

  /**
   * Serves work after the waiting connections. Node accepts one connection in each turn of the event loop. With work
   * in each turn it would accept fewer than a hundred a second, and during a flood of connections a new caller would
   * wait for minutes.
   */
  function serveAfterConnections(sinceMs: number): void {
    if (hasConnected && now() - sinceMs < turnMs) {
      hasConnected = false;
      setImmediate(serveAfterConnections, sinceMs);
      return;
    }
    begin();
    serve();
  }

  function serve(): void {
    const next = waiting.take();
    if (next === undefined) {
      isServing = false;
      return;
    }
    const resumedMs = now();
    next.go();
    afterPromises(() => {
      waiting.charge(next.lane, now() - resumedMs);
      if (!isOver()) {
        serve();
        return;
      }
      isServing = false;
      if (waiting.size > 0) serveSoon();
    });
  }

  return {
    isOver,
    isBusy: () => waiting.size > 0 || isOver(),
    next(lane) {
      return new Promise((resolve) => {
        waiting.add(lane, { lane, go: resolve });
        serveSoon();
      });
    },
    waitingIn: (lane) => waiting.waitingIn(lane),
    connected() {
      hasConnected = true;
    },
  };
}

/**
 * Calls `then` when the resumed work, and everything that follows from it, waits for something outside of this
 * process.
 */
function afterPromises(then: () => void): void {
  Promise.resolve().then(() => process.nextTick(then));
}

/** The turns of this process. All code of the event loop must use this object. */
export const turns: Turns = createTurns();

/** Runs the work step by step. When a turn is over, the work waits for the next turn of its lane. */
export async function inTurns<T>(lane: Lane, work: Generator<void, T>): Promise<T> {
  for (;;) {
    if (turns.isOver()) await turns.next(lane);
    const step = work.next();
    if (step.done) return step.value;
  }
}
