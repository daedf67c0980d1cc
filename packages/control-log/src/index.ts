/**
 * @mandate/control-log: the control topic as every process sees it. `followControl` folds it and keeps up; whoever changes
 * something appends a record and learns from its own fold what became of it, as every other reader does. `snapshots/` makes
 * its start short: the fold, written down now and then, which is only a cache of the log (ADR 32). `replica/` is a
 * copy of the fold for another thread, which does the long work (ADR 38).
 */
export { type FollowedControl, followControl } from './follow-control.ts';
export { keysWhileOpen } from './keys-while-open.ts';
export { feedReplica } from './replica/feed-replica.ts';
export { openControlSnapshots } from './snapshots/open-control-snapshots.ts';
export { takeControlSnapshot } from './snapshots/take-snapshot.ts';
