/**
 * Reads from the log what the plane decided about the calls of the demo. The agents cannot show it: they know nothing of
 * the plane.
 */
import type { Plane } from '@mandate/plane';
import { type Decision, readDecisionsRecord, type Settlement, TOPICS } from '@mandate/schemas';

export type LoggedCalls = {
  /** Resolves to the oldest decision about this action that was not returned yet. */
  decisionOf(agentId: string, actionId: string): Promise<Decision>;
  settlementOf(agentId: string, actionId: string): Promise<Settlement>;
  stop(): Promise<void>;
};

/** Longer than a call may wait for its decision. */
const MOST_WAIT_MS = 20_000;

export async function followLoggedCalls(bus: Plane['bus'], signal: AbortSignal): Promise<LoggedCalls> {
  const decisions = new Mailboxes<Decision>();
  const settlements = new Mailboxes<Settlement>();
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'latest',
    onRecords(records) {
      for (const { value } of records) {
        const record = readDecisionsRecord(value);
        if (record.event === 'action.decided') decisions.put(nameOf(record.decision), record.decision);
        if (record.event === 'action.settled') settlements.put(nameOf(record.settlement), record.settlement);
      }
    },
  });
  const take = async <T>(from: Mailboxes<T>, agentId: string, actionId: string): Promise<T> => {
    signal.throwIfAborted();
    const late = AbortSignal.timeout(MOST_WAIT_MS);
    try {
      return await from.take(nameOf({ agentId, actionId }), AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      throw new Error(`the log has no answer on ${actionId} of ${agentId} after ${MOST_WAIT_MS / 1_000} s`);
    }
  };
  return {
    decisionOf: (agentId, actionId) => take(decisions, agentId, actionId),
    settlementOf: (agentId, actionId) => take(settlements, agentId, actionId),
    stop: () => reader.stop(),
  };
}

function nameOf({ agentId, actionId }: { agentId: string; actionId: string }): string {
  return `${agentId} ${actionId}`;
}

/** Messages by name, in order. A message waits for its reader, or a reader for its message. */
class Mailboxes<T> {
  readonly #messages = new Map<string, T[]>();
  readonly #readers = new Map<string, ((message: T) => void)[]>();

  put(name: string, message: T): void {
    const reader = this.#readers.get(name)?.shift();
    if (reader === undefined) this.#messages.set(name, [...(this.#messages.get(name) ?? []), message]);
    else reader(message);
  }

  /** @throws the reason of the signal, if no message comes before it aborts */
  take(name: string, signal: AbortSignal): Promise<T> {
    const message = this.#messages.get(name)?.shift();
    if (message !== undefined) return Promise.resolve(message);
    return new Promise((resolve, reject) => {
      this.#readers.set(name, [...(this.#readers.get(name) ?? []), resolve]);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }
}
