/**
 * @mandate/control-log: how every process reads and writes the control topic. `followControl` applies all records to
 * the state in memory, and follows new records. A writer appends a record, and learns the result from its own state,
 * as every other reader does. `snapshots/` stores this state to make the start short. A snapshot is only a cache of
 * the log (ADR 32). `replica/` is a copy of the state for another thread, which does the long work (ADR 38).
 */
export { controlAt } from './control-at.ts';
export { type FollowedControl, followControl, type WrittenChange } from './follow-control.ts';
export { type OpenedControl, openControl } from './open-control.ts';
export type { ManifestFound, PublishedManifests } from './published-manifests.ts';
export { feedReplica } from './replica/feed-replica.ts';
export { openControlSnapshots } from './snapshots/open-control-snapshots.ts';
export { takeControlSnapshot } from './snapshots/take-snapshot.ts';
