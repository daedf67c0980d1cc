/**
 * @mandate/ledger: what has been spent, and who has been stopped. One port (port.ts), and stores that implement it: the
 * memory store here, for one process, and in `@mandate/ledger/redis` the store that processes share. It is a separate
 * entry, so only programs that need it load its client.
 *
 * It lies between the policy's two halves: `plan` names the limits, one atomic step of the ledger looks at all of them
 * and charges all or none, `decide` words what the step found. What it promises: a delivery is charged once however
 * often it comes; a refused action consumes nothing; no window ever holds more than its limit; after a kill no ALLOW
 * carries a higher sequence until a revive; at rest, what it holds is what a fold of the log holds, to the micro-dollar.
 *
 * It is not the truth. The log is: a ledger is thrown away and folded again (fold/), from the start or from a snapshot of
 * such a fold, under a new epoch that makes void what deciders of the old one still write.
 */
export {
  createFold,
  deliveriesIn,
  type Fold,
  foldRecord,
  highestGeneration,
  memoryBehind,
} from './fold/fold.ts';
export { announcing, type KillBroadcast, type KillNotice, localKillBroadcast } from './kill-broadcast.ts';
export { ledgerReadiness } from './ledger-readiness.ts';
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
