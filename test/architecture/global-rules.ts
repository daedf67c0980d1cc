/** Which globals may be named where: the environment at entry points only, and in policy nothing that is not a value. */
import { PURE } from './import-rules.ts';
import { readModule } from './read-module.ts';
import { isEntryPoint, isForTests, type Tree, workspaceOf } from './tree.ts';

/** A global that does I/O, reads a clock, draws at random, or opens the way to one that does. */
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

/** Every use of a global that breaks a rule: `path:line what is wrong`. */
export function globalFaults(tree: Tree): string[] {
  return [...tree.files]
    .filter(([path]) => !isForTests(path))
    .flatMap(([path, text]) => {
      const { globals } = readModule(path, text);
      const { folder } = workspaceOf(tree, path);
      return globals.flatMap(({ name, line }) => {
        if (PURE.includes(folder) && isImpure(name))
          return [`${path}:${line} names ${name}: ${folder} is pure`];
        const reads = ENVIRONMENT.has(name) && !isEntryPoint(path);
        return reads ? [`${path}:${line} names ${name}: only a main.ts reads the environment`] : [];
      });
    });
}

function isImpure(name: string): boolean {
  const [root = name] = name.split('.');
  return IMPURE.has(name) || IMPURE.has(root);
}
