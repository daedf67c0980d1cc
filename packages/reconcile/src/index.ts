/**
 * @mandate/reconcile: proves that a plane kept its promises. It computes every budget again from the log, and
 * compares it with the ledger and the audit. It also checks the laws of a plane on every record: one decision for an
 * action, limits, outcomes, the kill switch, offsets, epochs, and the rows of the audit.
 *
 * `reconcileSources` takes the three sources as ports. `reconcilePlane` reads the log itself, and asks a running
 * plane over HTTP for the other two. `createLaws` is the checker alone, for tests that make a log by themselves.
 * `allHolds` is true if a report found no fault.
 *
 * This package only reads. Records that have not reached every source yet are not reported as drift: if sources
 * differ, they are asked again until the difference stays the same.
 */

export type { LawName, LawReport } from './laws/law.ts';
export { createLaws } from './laws/laws.ts';
export { reconcilePlane } from './reconcile-plane.ts';
export { allHolds, auditSource, ledgerSource, type Report, reconcileSources } from './reconcile-sources.ts';
