/**
 * @mandate/control/plan: which changes make a plane what documents say. `mandate apply`, `mandate diff`, `mandate pull` and the
 * start of a plane with `--policies` use it.
 *
 * `planChanges` compares documents with what a plane lists, and orders the changes so that each can be carried out.
 * `recordOf` makes the record of a change. `missingParents` and `missingPolicies` find names that no document will have once
 * the plan is carried out. `foldDocuments` carries documents out on an empty plane, for commands that ask no plane.
 *
 * Pure, as the whole package: reading files, asking a plane and printing is for the caller.
 */

export type { Change, Document } from './change.ts';
export { recordOf } from './change-record.ts';
export { foldDocuments } from './fold-documents.ts';
export { missingParents } from './missing-parents.ts';
export { missingPolicies, versionsLeftOut, withTheOnlyVersion } from './named-policies.ts';
export { planChanges } from './plan-changes.ts';
export { documentsOf, type Kind, LISTS, type Standing, standingIn, standingOf } from './standing.ts';
