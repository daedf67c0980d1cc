/** Stores the valid decision about each attempt of an action, with its charge, as long as the ledger remembers it. */
import type { BudgetLimit, Settlement } from '@mandate/schemas';
import type { Memory } from './memory.ts';
import type { Decided } from './step.ts';

export type StoredDecision = {
  readonly at: string;
  readonly atMs: number;
  readonly sequence: number;
  readonly forgetAtMs: number;
  readonly verdict: Decided['verdict'];
  /** The charged budgets. Null if nothing was charged. */
  readonly budgets: readonly BudgetLimit[] | null;
  /** What was charged in other units. Null if nothing was charged in them. */
  readonly units: Decided['units'];
  readonly reservedMicros: number;
  readonly settling: Decided['settling'];
  isSettled: boolean;
};

type Attempt = { tenant: string; agentId: string; actionId: string; attempt: number };

export function createStoredDecisions(memory: Memory) {
  const stored = new Map<string, StoredDecision>();
  const early = new Map<string, Settlement>();
  return {
    of: (attempt: Attempt): StoredDecision | undefined => stored.get(nameOf(attempt)),
    put(decision: Decided, { at, sequence }: { at: string; sequence: number }): void {
      const {
        atMs,
        appendedAtMs,
        verdict,
        budgets,
        units,
        chargedMicros: reservedMicros,
        leaseExpiresAtMs,
        settling,
      } = decision;
      const forgetAtMs = Math.max(Math.max(atMs, appendedAtMs) + memory.ms, leaseExpiresAtMs);
      const told = { at, atMs, sequence, forgetAtMs, verdict, budgets, units };
      const entry = { ...told, reservedMicros, settling, isSettled: false };
      // Deleting first moves the attempt to the end, so that the oldest attempt is always the first.
      stored.delete(nameOf(decision));
      stored.set(nameOf(decision), entry);
      for (const [name, oldest] of stored) {
        // Keeps a decision longer by one replay memory, because the ledger remembers a decision longer if a decider
        // could not publish it.
        if (oldest.forgetAtMs + memory.ms > atMs) break;
        stored.delete(name);
      }
    },
    /**
     * Stores an outcome of a decision that was made by a ledger that another ledger has replaced. The outcome settles the
     * decision that the new ledger makes again.
     */
    putEarly: (settlement: Settlement): void => void early.set(nameOf(settlement), settlement),
    takeEarly(attempt: Attempt): Settlement | undefined {
      const settlement = early.get(nameOf(attempt));
      early.delete(nameOf(attempt));
      return settlement;
    },
  };
}

/** Ids contain no spaces, so each name is unique. */
function nameOf({ tenant, agentId, actionId, attempt }: Attempt): string {
  return `${tenant} ${agentId} ${actionId} ${attempt}`;
}
