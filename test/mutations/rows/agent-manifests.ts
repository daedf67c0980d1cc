/** Mutations of reading agent manifests: what is refused, and which files are read. */
import { inFile, type Mutation } from '../mutation.ts';

const READ = 'packages/agent-manifest/src/read';

export const AGENT_MANIFEST_MUTATIONS: readonly Mutation[] = [
  ...inFile(`${READ}/file-path.ts`, [
    [
      'agent manifest: no path climbs out of its folder',
      'if (parts.length === least) return null;',
      'if (false) return null;',
    ],
    [
      'agent manifest: no absolute path, drive or address is a file',
      'if (LEADS_ELSEWHERE.test(written)) return null;',
      '',
    ],
  ]),
  ...inFile(`${READ}/definition-files.ts`, [
    [
      'agent manifest: references in a circle are refused',
      'if (passed.has(place))',
      'if (passed.size > 100_000)',
    ],
    [
      'agent manifest: a reference leads to a definition with a type',
      "if (isMap(value) && Object.hasOwn(value, 'type'))",
      'if (isMap(value) && further === null)',
    ],
    [
      'agent manifest: a chain of references is followed once',
      'for (const place of passed) if (!this.#known.has(place)) this.#known.set(place, target);',
      '',
    ],
    [
      'agent manifest: all definitions together have a largest size',
      'room -= follower.sizeOf(target.value);',
      '',
    ],
    ['agent manifest: all files together have a largest size', 'this.#bytesLeft -= read.source.length;', ''],
  ]),
  ...inFile(`${READ}/read-structure.ts`, [
    [
      'agent manifest: a null is another type',
      "if (wrongType) return found('TYPE_WRONG', path, message);",
      '',
    ],
    ['agent manifest: conditions are checked when it is read', '    ...expressionFaults(value),\n', ''],
    ['agent manifest: schemas are checked when it is read', '    ...schemaFaults(value),\n', ''],
  ]),
  ...inFile(`${READ}/checks/tools.ts`, [
    [
      'agent manifest: two tools never have one name',
      'if (before === undefined || before.identity === tool.identity) return [];',
      'return [];',
    ],
    [
      'agent manifest: a tool is not called like the action of a step',
      'Object.keys(manifest.workflow?.steps ?? {}).map((key) => {\n      const step',
      '[].map((key) => {\n      const step',
    ],
  ]),
  ...inFile(`${READ}/checks/workflow.ts`, [
    [
      'agent manifest: a circle that a run may never leave needs a limit',
      'if (policy?.max_steps !== undefined) return [];',
      'return [];',
    ],
    ['agent manifest: a circle that no switch leaves is refused', 'if (!isLeft) {', 'if (false) {'],
  ]),
  ...inFile(`${READ}/models.ts`, [
    [
      'agent manifest: a misspelled agent is no model',
      'return models === undefined ? listedPrices(name, null) !== null : models.includes(name);',
      'return true;',
    ],
  ]),
  ...inFile(`${READ}/checks/paths.ts`, [
    [
      'agent manifest: a link may not lead out of its folder',
      'if (file !== null && !files.leadsOut(file)) return [];',
      'if (file !== null) return [];',
    ],
    ['agent manifest: an address of a file is no address', ' && !/^file:/i.test(named.written)', ''],
  ]),
  ...inFile('packages/documents/src/agent-manifests/folder-files.ts', [
    [
      'agent manifest: a link to nothing is no file of its folder',
      "isLink(path) ? 'lost' : 'nothing'",
      "'nothing'",
    ],
    [
      'agent manifest: a folder with a similar name is another folder',
      'root.endsWith(sep) ? root : root + sep',
      'root',
    ],
  ]),
  ...inFile('packages/agent-manifest/src/catalog.ts', [
    [
      'agent manifest: a name of two agents is ambiguous',
      "return entry === undefined || second !== undefined ? { found: 'ambiguous' }",
      "return entry === undefined ? { found: 'ambiguous' }",
    ],
  ]),
  ...inFile('packages/agent-manifest/src/run/graph-plan.ts', [
    [
      'graph: the count of refinements is on the log',
      "return typeof count === 'number' ? count : 0;",
      'return 0;',
    ],
    ['graph: a score below the threshold does not pass', 'if (score >= pass_threshold)', 'if (score >= 0)'],
    ['graph: an evaluator needs something to judge', 'if (target !== null) return', 'if (true) return'],
    [
      'graph: a person has only so much time',
      "return node.type === 'human' && node.timeout_seconds !== undefined",
      'return false',
    ],
  ]),
  ...inFile('packages/agent-manifest/src/graph/compile-graph-recipe.ts', [
    [
      'graph: a role that nothing checks is refused',
      "if (node.type !== 'human' || (node.required_role ?? ANSWERING_ROLE) === ANSWERING_ROLE) return;",
      'if (node !== null) return;',
    ],
  ]),
];
