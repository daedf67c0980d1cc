/**
 * @mandate/policy/documents: documents as people write them. It parses documents in YAML or JSON, reports faults and
 * warnings with their lines, and compiles the mandates of a file.
 *
 * It is separate from `@mandate/policy`, because the kernel decides on compiled mandates and needs no YAML.
 */
export { documentWarnings } from './doubts/document-warnings.ts';
export { type DocumentFault, describeFault } from './mandate/document-fault.ts';
export { apiVersionIn, type DocumentSource, saysKind } from './mandate/documents-in.ts';
export { type LoadedMandates, loadMandates } from './mandate/load-mandates.ts';
export type { FindPlace } from './mandate/plain-value.ts';
export { readDocuments, type SayFault } from './mandate/read-documents.ts';
