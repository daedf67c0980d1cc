/**
 * @mandate/ledger-log is between the log and a ledger. The log is the truth, and a ledger is a fold of its decisions
 * topic. So every ledger can be rebuilt.
 *
 * `foldLog` reads the whole topic. `foldOnto` continues where a fold ends. `restoreLedger` gives one process a ledger
 * in memory. `rebuildLedger` replaces the state of a shared ledger in Redis. Both begin a new epoch on the log. Both
 * start from a snapshot if there is one (`takeSnapshot`), because a fold from the beginning of the log takes long.
 */
export { type FoldedLog, foldLog, foldOnto } from './fold-log.ts';
export { restoreLedger } from './restore-ledger.ts';
export { takeSnapshot } from './snapshots/take-snapshot.ts';
export { superviseLedger } from './supervise-ledger.ts';
