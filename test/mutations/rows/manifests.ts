/** Mutations of manifests in files: what they become, how folders of them are read, and how their edits are followed. */
import { inFile, type Mutation } from '../mutation.ts';

const DOCUMENTS = 'packages/documents/src';

export const MANIFEST_MUTATIONS: readonly Mutation[] = [
  ...inFile('packages/manifest/src/compile/compile-manifest.ts', [
    [
      'compiled: nobody uses a tool without a permission',
      'permission?.allowed_roles ?? []',
      'permission?.allowed_roles ?? undefined',
    ],
    ['compiled: a sensitive tool is confirmed', '?? tool.sensitive', '?? false'],
    ['compiled: a rate counts for each person', "scope: 'principal'", "scope: 'agent'"],
    [
      'compiled: only declared arguments are accepted',
      'additionalProperties: false',
      'additionalProperties: true',
    ],
    ['compiled: only declared tools may be called', 'tools: tools.map(({ id }) => id),', ''],
    ['compiled: a specialist is below its agent', 'one.description, manifest.name)', 'one.description)'],
    ['compiled: a specialist has its own tools only', 'allowedTools: specialist.uses_tools,', ''],
    [
      'compiled: categories become part of the policy',
      '...(categories !== undefined && { categories }),',
      '',
    ],
  ]),
  ...inFile('packages/manifest/src/compile/compiled-faults.ts', [
    ['compiled: a field that is lost is a fault', 'deepEqual(read.value, document)', 'true'],
    ['compiled: a policy must compile', 'if (compiled.ok) return [];', 'return [];'],
  ]),
  ...inFile(`${DOCUMENTS}/manifests/manifest-folder.ts`, [
    ['manifest files: a file with a kind is an ordinary document', ' || statesKind(file)', ''],
  ]),
  ...inFile(`${DOCUMENTS}/manifests/read-manifest.ts`, [
    [
      'manifest files: the overlay is applied',
      '...(overlay !== null && existsSync(overlay) && { overlay: readNamedFile(overlay) }),',
      '',
    ],
    [
      'manifest files: an environment names no other folder',
      'if (!ENVIRONMENT.test(environment))',
      'if (false)',
    ],
    ['manifest files: strict by default', "lenient ? 'lenient' : 'strict'", "'lenient'"],
    ['manifest files: a bad config is a fault', '!loaded.ok || !read.ok', '!loaded.ok'],
  ]),
  ...inFile(`${DOCUMENTS}/control-files.ts`, [
    [
      'manifest files: an environment without a manifest is refused',
      'if (options.environment !== undefined && manifests.length === 0)',
      'if (false)',
    ],
    [
      'manifest files: a document of a manifest is there only once',
      'if (before !== undefined) {',
      'if (before === "") {',
    ],
  ]),
  ...inFile('packages/plane/src/follow-manifests.ts', [
    ['followed: a bad edit is shown', 'isBad = !found.ok;', ''],
    [
      'followed: an edition is applied until it is in force',
      'inForce = edition;\n      failed = null;',
      'failed = null;',
    ],
    ['followed: a failure is shown', 'isBad || failed !== null', 'isBad'],
    ['followed: categories are followed too', '[policy, config,', '[policy,'],
  ]),
  ...inFile('packages/plane/src/apply-files.ts', [
    [
      'followed: what an edition left out is removed',
      'before === null ? [] : removals(',
      'true ? [] : removals(',
    ],
    ['followed: nothing else is removed', 'before[LISTS[kind]].has(id)', 'true'],
  ]),
  ...inFile('packages/cases/src/compare-duties.ts', [
    ['cases: a list of an obligation is compared as a whole', 'seen.length === expected.length &&', ''],
    ['cases: notes and marks must be complete', ' && left.length === 0', ''],
    [
      'cases: an absent obligation is null',
      '(obligations[name] ?? null) : null',
      '(obligations[name] ?? null) : duty',
    ],
  ]),
];
