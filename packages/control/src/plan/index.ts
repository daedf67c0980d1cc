/**
 * @mandate/control/plan: the changes that make a plane equal to documents. `mandate apply`, `mandate diff`, `mandate
 * pull` and the start of a plane with `--policies` use it.
 *
 * `planChanges` compares documents with the documents of a plane, and orders the changes so that each can be applied.
 * `recordOf` makes the record of a change. `missingParents` and `missingPolicies` find names that no document will
 * have after the plan is applied. `foldDocuments` applies documents to an empty plane, for commands that ask no
 * plane.
 *
 * Pure, like the whole package: the caller reads files, asks a plane and prints.
 */

export type { Change, Document } from './change.ts';
export { recordOf } from './change-record.ts';
export {
  type CurrentDocument,
  currentDocumentsIn,
  currentDocumentsOf,
  documentsOf,
  type Kind,
  LISTS,
} from './current-documents.ts';
export { foldDocuments } from './fold-documents.ts';
export { missingParents } from './missing-parents.ts';
export { missingPolicies, versionsLeftOut, withTheOnlyVersion } from './named-policies.ts';
export { planChanges } from './plan-changes.ts';
