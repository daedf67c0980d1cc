/**
 * @mandate/control-log: the control topic as every process sees it. `followControl` folds it and follows new records.
 * A writer appends a record, and its own fold returns the result, as for every other reader. `snapshots/` makes the
 * start short: a snapshot is a stored fold, and only a cache of the log (ADR 32). `replica/` is a copy of the fold
 * for another thread, which does the long work (ADR 38).
 */
export { type FollowedControl, followControl } from './follow-control.ts';
export { type OpenedControl, openControl } from './open-control.ts';
export { feedReplica } from './replica/feed-replica.ts';
export { openControlSnapshots } from './snapshots/open-control-snapshots.ts';
export { takeControlSnapshot } from './snapshots/take-snapshot.ts';
