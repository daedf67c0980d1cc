/**
 * @mandate/documents: documents as files. It reads what people write (agents, policies and rules of files and folders,
 * mandates, a privacy document), and writes the documents of a plane as files.
 *
 * What the documents mean is for @mandate/control, @mandate/policy and @mandate/privacy. Here are the names of files, the
 * faults of all of them together, each with file, line and column, and the promise that a written file reads the same.
 * Commands, cases and the start of a plane with `--policies` use it.
 */

export { type ControlFiles, controlFilesIn, readControlFiles } from './control-files.ts';
export { documentText, pathFor } from './document-file.ts';
export { filesBelow } from './files-below.ts';
export { loadMandatesFile, readMandatesFile } from './mandates-file.ts';
export { offlineHiding } from './offline-hiding.ts';
