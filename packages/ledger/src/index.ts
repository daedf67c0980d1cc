/**
 * @mandate/ledger stores the spent amounts and the stopped agents. It has one port (port.ts), and stores that
 * implement it: the memory store here, for one process, and in `@mandate/ledger/redis` the store that processes
 * share. That is a separate entry, so only programs that need it load its client.
 *
 * The policy has two halves, and the ledger works between them. `plan` names the limits, one atomic step of the
 * ledger checks all of them and charges all or none, and `decide` words the facts of the step. The ledger promises: a
 * delivery is charged once, even if it is repeated; a refused action consumes nothing; no window ever contains more
 * than its limit; after a kill no ALLOW has a higher sequence until a revive; at rest, its state equals a fold of the
 * log, to the micro-dollar.
 *
 * The log is the source of truth. A ledger can be deleted and folded again (fold/), from the start or from a snapshot
 * of a fold, under a new epoch. Then later records from deciders of the old epoch are void.
 */
export { adjustmentTooLarge, approvalNotFound, approvalNotWaiting } from './command-errors.ts';
export {
  createFold,
  deliveriesIn,
  type Fold,
  foldRecord,
  highestGeneration,
  nextReplayMemory,
} from './fold/fold.ts';
export {
  type KillBroadcast,
  type KillNotice,
  localKillBroadcast,
  withKillBroadcast,
} from './kill-broadcast.ts';
export { ledgerReadiness } from './ledger-readiness.ts';
export { flagKey as keyOfTarget } from './memory/flags.ts';
export { createMemoryLedger, type MemoryLedger, type MemoryLedgerOptions } from './memory/memory-ledger.ts';
export type { LedgerState } from './memory/state.ts';
export { isLedgerNewer, LedgerNotReady } from './not-ready.ts';
export { isLedgerShared, openKillBroadcast, openSharedLedger } from './open-shared-ledger.ts';
export * from './port.ts';
export { type Difference, type Reconciliation, reconcile } from './reconcile.ts';
export type { Rebuild } from './redis/rebuild.ts';
export type { RedisLedger } from './redis/redis-ledger.ts';
export { readSnapshot, readSnapshotHead } from './snapshot/read-snapshot.ts';
export { writeSnapshot } from './snapshot/write-snapshot.ts';
