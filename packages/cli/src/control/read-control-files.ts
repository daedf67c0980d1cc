/** Agents, policies and rules of files and folders, as one set. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlDocuments, describeFault, loadControl } from '@mandate/policy';
import { CommandFailure } from '../command-context.ts';
import { cannotRead } from '../input/open-input.ts';
import { readTextFile } from '../load-mandates-file.ts';

/** Throws a failure with exit code 2 that names every fault by file, line and column. */
export function readControlFiles(paths: readonly string[]): ControlDocuments {
  const all = { agents: new Map(), policies: new Map(), rules: new Map() };
  const cameFrom = new Map<string, string>();
  const faults: string[] = [];
  for (const file of paths.flatMap(filesIn)) {
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

/** Of a folder every YAML and JSON file, those below it as well. */
function filesIn(path: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ya?ml|json)$/.test(name))
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    throw cannotRead(path, error);
  }
}
