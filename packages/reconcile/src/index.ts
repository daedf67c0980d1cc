/**
 * @mandate/reconcile: proves that a plane kept its promises. It folds the log again and compares every budget counter
 * with the ledger and the audit. It also checks the laws of a plane on every record: one decision for an action,
 * limits, outcomes, the kill switch, offsets, epochs, and the rows of the audit.
 *
 * `reconcileSources` takes the three sources as ports. `reconcilePlane` reads the log itself, and asks a running
 * plane over HTTP for the other two. `createLaws` is the checker alone, for tests that make a log by themselves.
 * `allHolds` says whether a report found nothing.
 *
 * What it promises: records on their way between two sources are no drift, because sources that differ are asked
 * again until the difference stays. It only reads.
 */

export type { LawName, LawReport } from './laws/law.ts';
export { createLaws } from './laws/laws.ts';
export { reconcilePlane } from './reconcile-plane.ts';
export { allHolds, auditSource, ledgerSource, type Report, reconcileSources } from './reconcile-sources.ts';
