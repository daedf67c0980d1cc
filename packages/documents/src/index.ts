/**
 * @mandate/documents: documents as files. It reads what people write (agents, policies and rules from files and
 * folders, manifests, mandates, a privacy document), and writes the documents of a plane as files.
 *
 * The meaning of documents is defined in @mandate/control, @mandate/policy and @mandate/privacy. This package defines
 * the names of files, reports the faults of all documents together, each with file, line and column, and promises
 * that a written file reads the same. `lineDiff` compares two documents as people see them. Commands, cases and the
 * start of a plane with `--policies` use this package.
 *
 * Other subpaths need no documents, so a command that uses only these starts faster: the lines of a file of records
 * (`/bare-records`), the manifest of an export (`/export-manifest`), the values within JSON (`/leaves-of`), and one
 * agent manifest or graph recipe (`/manifest-or-graph`).
 */

export type { ManifestFault } from '@mandate/manifest';
export { GATE_FILE, type PublishableManifest } from './agent-manifests/agent-manifests-in.ts';
export { compiledDocuments } from './agent-manifests/compiled-documents.ts';
export { compileRefused, manifestInvalid, readGateFile } from './agent-manifests/manifest-invalid.ts';
export { placesInManifest } from './agent-manifests/place-in-manifest.ts';
export {
  type AgentManifestFile,
  describeNote,
  isAgentManifest,
  readAgentManifestFile,
} from './agent-manifests/read-agent-manifest-file.ts';
export { withoutFaults } from './agent-manifests/without-faults.ts';
export {
  type ControlFiles,
  controlFilesIn,
  DOCUMENTS,
  documentsOfManifest,
  holdManifest,
  mustHaveDocuments,
  readControlFiles,
} from './control-files.ts';
export { documentText, pathFor } from './document-file.ts';
export { filesBelow } from './files-below.ts';
export { lineDiff } from './line-diff.ts';
export { loadMandatesFile, readMandatesFile } from './mandates-file.ts';
export { describeManifestFault } from './manifests/describe-manifest-fault.ts';
export { environmentsIn, overlayFile, withoutManifests } from './manifests/manifest-folder.ts';
export {
  type ManifestOptions,
  type ManifestRead,
  manifestFiles,
  readCategories,
  readManifest,
} from './manifests/read-manifest.ts';
export { offlineRedaction } from './offline-redaction.ts';
