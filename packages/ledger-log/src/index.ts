/**
 * @mandate/ledger-log: between the log and a ledger. The log is the truth, and a ledger is a fold of its decisions topic, so
 * that every ledger can be made again.
 *
 * `foldLog` reads the whole topic; `foldOnto` continues from where a fold ends. `restoreLedger` gives one process a ledger in
 * memory. `rebuildLedger` replaces the state of a shared ledger in Redis. Both begin a new epoch on the log, and both start
 * from a snapshot where there is one (`takeSnapshot`), because a fold from the beginning of the log takes long.
 */
export { type FoldedLog, foldLog, foldOnto } from './fold-log.ts';
export { keepLedger } from './keep-ledger.ts';
export { restoreLedger } from './restore-ledger.ts';
export { takeSnapshot } from './snapshots/take-snapshot.ts';
