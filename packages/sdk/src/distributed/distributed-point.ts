/** Distributed mode: the state is in Redis, and every process with the same prefix shares it. */
import { isMandateError } from '@mandate/runtime/errors';
import type { ActionType, Outcome } from '@mandate/schemas';
import { Backoff, sleep } from '../backoff.ts';
import type { DecisionPoint } from '../decision-point.ts';
import { type EngineOptions, enginePoint } from '../engine-point.ts';
import { OutcomeQueue } from '../outcome-queue.ts';
import { Semaphore } from '../semaphore.ts';
import type { OnError } from '../types.ts';
import type { RedisStateManager } from './redis-state.ts';

/**
 * The maximum number of steps that one process runs in Redis at the same time. With more steps, each step would be
 * late.
 */
const MOST_STEPS = 32;
/** The maximum number of waiting steps, and the longest wait of a step. */
const MOST_WAITING = 10_000;
const TURN_MS = 10_000;
/** How long a decision waits for outcomes of its agent that met an interruption of Redis. */
const LATE_MS = 2_000;

/** How long a step without an answer is repeated. */
const REPEAT_MS = 500;
/** The least number of tries, even if each try takes longer than `REPEAT_MS`. */
const FEWEST_TRIES = 2;
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 200;

/** An outcome that Redis did not confirm. The same object is settled again, so that the ledger recognizes the repeat. */
type Late = Pick<Outcome, 'actionId' | 'agentId'> & { outcome: Outcome; type: ActionType };

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function distributedPoint({
  state,
  onError,
  ...options
}: EngineOptions & { state: RedisStateManager; onError: OnError }): DecisionPoint {
  const steps = new Semaphore({ running: MOST_STEPS, waiting: MOST_WAITING });
  const closing = new AbortController();
  const point = enginePoint(options, {
    state,
    open: () => state.open(),
    step: (work) =>
      steps.run(performance.now() + TURN_MS, () => repeated(() => state.step(work), closing.signal)),
  });
  const late = new OutcomeQueue<Late>(
    {
      name: 'Redis',
      closed: closing.signal,
      async take(batch) {
        const settled = await Promise.allSettled(batch.map(settleIfPossible));
        const failed = settled.find((one) => one.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
        return { kind: 'taken' };
      },
    },
    onError,
  );

  /** Reports a refusal that no retry changes, so that the refused outcome does not delay other outcomes. */
  async function settleIfPossible({ outcome, type }: Late): Promise<void> {
    try {
      await point.settle(outcome, type);
    } catch (error) {
      if (mayPass(error)) throw error;
      onError(error);
    }
  }

  return {
    ...point,
    async decide(record) {
      // The next call of an agent must see the amounts that its earlier calls gave back.
      await late.delivered(record.action.agentId, LATE_MS);
      return point.decide(record);
    },
    async settle(outcome, type) {
      try {
        await point.settle(outcome, type);
      } catch (error) {
        if (!mayPass(error)) throw error;
        const { actionId, agentId } = outcome;
        late.add({ actionId, agentId, outcome, type });
      }
    },
    async flush(options) {
      await late.flush(options);
      await point.flush(options);
    },
    async close(options) {
      await late.flush(options);
      closing.abort();
      late.close();
      await point.close(options);
    },
  };
}

/** Repeats the work if Redis gave no answer. The ledger recognizes a repeat, and gives the first answer again. */
async function repeated<T>(work: () => Promise<T>, closing: AbortSignal): Promise<T> {
  const untilMs = performance.now() + REPEAT_MS;
  const backoff = new Backoff(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isOver = closing.aborted || (tries >= FEWEST_TRIES && performance.now() >= untilMs);
      if (!isMandateError(error) || !error.retryable || isOver) throw error;
      await sleep(backoff.nextMs(), closing);
    }
  }
}

function mayPass(error: unknown): boolean {
  return isMandateError(error) && (error.retryable || error.code === 'LEDGER_LOST');
}
