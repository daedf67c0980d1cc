/**
 * @mandate/ledger-log connects the log and a ledger. The state of a ledger is computed (folded) from the decisions
 * topic of the log. So every ledger can be rebuilt from the log.
 *
 * `foldLog` reads the whole topic. `foldOnto` continues where a fold ends. `restoreLedger` gives one process a ledger
 * in memory. `rebuildLedger` replaces the state of a shared ledger in Redis. Both begin a new epoch on the log. Both
 * start from a snapshot if there is one (`takeSnapshot`), because reading the log from its beginning takes long.
 */
export { type FoldedLog, foldLog, foldOnto } from './fold-log.ts';
export { restoreLedger } from './restore-ledger.ts';
export { takeSnapshot } from './snapshots/take-snapshot.ts';
export { superviseLedger } from './supervise-ledger.ts';
