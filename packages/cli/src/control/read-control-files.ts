/** Agents, policies and rules of files and folders, as one set. */
import { type ControlDocuments, describeFault, loadControl } from '@mandate/policy';
import { CommandFailure } from '../command-context.ts';
import { filesBelow } from '../input/files-below.ts';
import { readTextFile } from '../load-mandates-file.ts';

/** Cases lie beside what they are about: read-cases.ts. */
const DOCUMENTS = /(?<!\.test)\.(?:ya?ml|json)$/;

/** Throws a failure with exit code 2 that names every fault by file, line and column. */
export function readControlFiles(paths: readonly string[]): ControlDocuments {
  const all = { agents: new Map(), policies: new Map(), rules: new Map() };
  const cameFrom = new Map<string, string>();
  const faults: string[] = [];
  for (const file of paths.flatMap((path) => filesBelow(path, DOCUMENTS))) {
    const read = loadControl(readTextFile(file));
    if (!read.ok) {
      faults.push(...read.faults.map((fault) => describeFault(file, fault)));
      continue;
    }
    for (const kind of ['agents', 'policies', 'rules'] as const) {
      for (const [id, document] of read.documents[kind]) {
        const before = cameFrom.get(`${kind} ${id}`);
        if (before !== undefined) faults.push(`${file}: ${kind}: "${id}" stands in ${before} already`);
        cameFrom.set(`${kind} ${id}`, file);
        all[kind].set(id, document);
      }
    }
  }
  if (faults.length === 0) {
    if (cameFrom.size > 0) return all;
    throw new CommandFailure(
      2,
      `${paths.join(', ')} holds no agent, policy or rule`,
      'Name files that end in .yaml, .yml or .json, or a folder of them.',
    );
  }
  throw new CommandFailure(2, `these documents are bad\n${faults.join('\n')}`, 'Mend them at these places.');
}
