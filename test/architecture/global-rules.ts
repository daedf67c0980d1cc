/** The rules for globals: only entry points may read the environment, and pure packages may use only pure values. */
import { PURE } from './import-rules.ts';
import { readModule } from './read-module.ts';
import { isEntryPoint, isForTests, type Tree, workspaceOf } from './tree.ts';

/** Globals that do I/O, read a clock, draw random numbers, or give access to such a global. */
const IMPURE = new Set([
  ...[
    'process',
    'globalThis',
    'performance',
    'crypto',
    'fetch',
    'console',
    'navigator',
    'WebSocket',
    'EventSource',
  ],
  ...[
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
    'Temporal',
    'Date.now',
    'Date()',
    'new Date()',
  ],
  ...['Math.random', 'Intl.DateTimeFormat', 'Atomics', 'SharedArrayBuffer', 'Buffer', 'require', 'eval'],
]);

const ENVIRONMENT = new Set(['process.env', 'globalThis.process']);

/** Libraries that read the environment at their use, because a library has no entry point. */
const READ_ENVIRONMENT = ['packages/sdk/src/environment.ts', 'packages/context/src/flag.ts'];

/** Returns every use of a global that breaks a rule, as `path:line what is wrong`. */
export function globalFaults(tree: Tree): string[] {
  return [...tree.files]
    .filter(([path]) => !isForTests(path))
    .flatMap(([path, text]) => {
      const { globals } = readModule(path, text);
      const { folder } = workspaceOf(tree, path);
      return globals.flatMap(({ name, line }) => {
        if (PURE.includes(folder) && isImpure(name))
          return [`${path}:${line} names ${name}: ${folder} is pure`];
        const reads = ENVIRONMENT.has(name) && !isEntryPoint(path) && !READ_ENVIRONMENT.includes(path);
        return reads ? [`${path}:${line} names ${name}: only a main.ts reads the environment`] : [];
      });
    });
}

function isImpure(name: string): boolean {
  const [root = name] = name.split('.');
  return IMPURE.has(name) || IMPURE.has(root);
}
