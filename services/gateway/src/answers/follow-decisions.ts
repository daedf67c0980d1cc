/**
 * Passes each new decision and settlement on the log to the requests that wait. A process has one reader for all
 * requests. The reader begins at the end of the log, because no caller waits yet. If it fails, the process must fail
 * too, because callers would never get answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, type LogRecord, recordUnreadable } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { isMandateError, type Running, turns } from '@mandate/runtime';
import {
  type DecisionsHead,
  decisionsHeadOf,
  type EpochInForce,
  epochAfter,
  holdsIn,
  readDecisionsHead,
  TOPICS,
  writtenDecision,
} from '@mandate/schemas';
import type { UndecidedRecords } from '../publish/undecided-records.ts';
import type { RefusedAgents } from '../refusals/refused-agents.ts';
import type { PendingReplies } from './pending-replies.ts';

const LOOK_AGAIN_MS = 200;
const LANE = ['answers'];

/**
 * @param ledger says which epoch is in force at the start. A decision of another epoch after the `ledger.epoch`
 *   record is void, and no caller gets it. Without a ledger, only epochs that begin later are known.
 */
export async function followDecisions(options: {
  bus: Bus;
  replies: PendingReplies;
  /** Is called for each valid decision: `allowed` after an ALLOW, `refused` after any other verdict. */
  refused: Pick<RefusedAgents, 'allowed' | 'refused'>;
  /** Gets the log position of each decided record. */
  undecided: Pick<UndecidedRecords, 'decided'>;
  ledger: Pick<Ledger, 'epoch' | 'generation' | 'ping'> | null;
}): Promise<Running> {
  const { bus, replies, refused, undecided, ledger } = options;
  const epochs = new Map<number, EpochInForce>();
  const stopping = new AbortController();

  const take = (logged: LogRecord, first: EpochInForce | null) => {
    const { partition } = logged.position;
    const record = read(logged);
    const inForce = epochs.get(partition) ?? (atStart.has(partition) ? first : newest(first, epochs));
    if (record.event === 'ledger.epoch') epochs.set(partition, epochAfter(inForce, record.epoch));
    if (record.event === 'action.decided' && holdsIn(inForce, record.decision.ledgerEpoch)) {
      replies.resolve({ ...record, value: logged.value }, logged.value.length);
      undecided.decided(record.decision.source);
      const { tenant, agentId, verdict } = record.decision;
      if (verdict === 'ALLOW') refused.allowed(tenant, agentId);
      else refused.refused(tenant, agentId);
    }
    if (record.event === 'approval.recorded') {
      replies.changes.tell(record.approval.tenant, record.approval.actionId);
    }
    if (record.event === 'action.settled' && holdsIn(inForce, record.settlement.ledgerEpoch)) {
      replies.resolve(record, logged.value.length);
      undecided.decided(record.settlement.source);
    }
  };
  const started = Promise.withResolvers<void>();
  const firstEpoch = started.promise.then(() => epochInForce(ledger, stopping.signal));
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'latest',
    onRecords: async (records) => {
      const first = await firstEpoch;
      if (stopping.signal.aborted) return;
      for (const record of records) {
        if (turns.isOver()) await turns.next(LANE);
        if (stopping.signal.aborted) return;
        take(record, first);
      }
    },
  });
  const atStart = new Set((await bus.ranges(TOPICS.decisions)).map(({ partition }) => partition));
  started.resolve();
  // The code that awaits this promise gets the error. This handler prevents an unhandled rejection if no code awaits
  // the promise.
  firstEpoch.catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await reader.stop();
    },
    finished: reader.finished,
  };
}

/** Returns the epoch for a partition that was added later: the newest epoch of all other partitions. */
function newest(first: EpochInForce | null, epochs: ReadonlyMap<number, EpochInForce>): EpochInForce | null {
  return [...epochs.values()].reduce((latest, epoch) => {
    return latest === null || epoch.generation > latest.generation ? epoch : latest;
  }, first);
}

/** Reads a record. Throws LOG_UNREADABLE, because an unknown record could make the next decision void. */
function read({ position, value, written }: LogRecord): DecisionsHead {
  const known = writtenDecision(written);
  if (known !== null) return decisionsHeadOf(known);
  try {
    return readDecisionsHead(value);
  } catch (cause) {
    throw recordUnreadable(position, cause);
  }
}

/**
 * Returns the epoch in force at the start. The ledger is asked only after the reader has its start position. An epoch
 * that began before this position is then already in force in the ledger, or the ledger is not ready yet. A later
 * epoch is read from the log. Until the epoch is known, no decision is passed on.
 */
async function epochInForce(
  ledger: Pick<Ledger, 'epoch' | 'generation' | 'ping'> | null,
  signal: AbortSignal,
): Promise<EpochInForce | null> {
  if (ledger === null) return null;
  while (!signal.aborted) {
    try {
      await ledger.ping();
      break;
    } catch (error) {
      if (!isMandateError(error) || !error.retryable) throw error;
      await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
  return { id: ledger.epoch, generation: ledger.generation };
}
