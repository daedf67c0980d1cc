/**
 * The imports that each workspace may have (docs/design.md), as data. An import that is not listed is refused. A new
 * package needs a line here.
 */
import { posix } from 'node:path';
import { readModule } from './read-module.ts';
import { isForTests, type Tree, type Workspace, workspaceOf } from './tree.ts';

/**
 * The demo and the examples run only in a clone, never in an image. So their libraries are development dependencies.
 * The command-line program imports the demo, which is a development dependency too.
 */
const DEMO = '@mandate/demo';
const ONLY_IN_A_CLONE = [DEMO, '@mandate/examples'];

/** The pages are built for browsers. So their libraries are development dependencies, and no image has them. */
const BUILT = '@mandate/console';

/** The code that tests share. The examples use its model server. */
const TESTING = '@mandate/testing';

const CONTRACTS = ['@mandate/schemas'];
const ADAPTER = [...CONTRACTS, '@mandate/runtime'];
const SERVICE = [
  ...ADAPTER,
  '@mandate/policy',
  '@mandate/control',
  '@mandate/privacy',
  '@mandate/ledger',
  '@mandate/bus',
  '@mandate/audit',
  '@mandate/control-log',
  '@mandate/engine',
  '@mandate/ledger-log',
  '@mandate/server',
  '@mandate/access-log',
];

/** The services. Only the composition root may import several services. */
const SERVICES = [
  '@mandate/gateway',
  '@mandate/decider',
  '@mandate/recorder',
  '@mandate/query',
  '@mandate/control-service',
  '@mandate/alerter',
  '@mandate/runner',
  '@mandate/model-gateway',
  '@mandate/console-service',
];

/** For each folder: the other workspaces that its code may import, tests excepted. */
const ALLOWED: ReadonlyMap<string, readonly string[]> = new Map([
  ['schemas', []],
  ['packages/step', CONTRACTS],
  ['packages/policy', [...CONTRACTS, '@mandate/step']],
  ['packages/control', [...CONTRACTS, '@mandate/policy', '@mandate/manifest']],
  ['packages/manifest', [...CONTRACTS, '@mandate/policy']],
  ['packages/agent-manifest', [...CONTRACTS, '@mandate/policy']],
  ['packages/runtime', CONTRACTS],
  ['packages/client', CONTRACTS],
  ['packages/privacy', [...ADAPTER, '@mandate/policy']],
  ['packages/ledger', [...ADAPTER, '@mandate/step']],
  ['packages/bus', ADAPTER],
  ['packages/audit', ADAPTER],
  ['packages/engine', [...ADAPTER, '@mandate/policy', '@mandate/ledger']],
  ['packages/ledger-log', [...ADAPTER, '@mandate/bus', '@mandate/ledger']],
  ['packages/server', ADAPTER],
  ['packages/access-log', [...ADAPTER, '@mandate/server', '@mandate/bus']],
  [
    'packages/reconcile',
    [
      ...ADAPTER,
      '@mandate/step',
      '@mandate/control',
      '@mandate/ledger',
      '@mandate/ledger-log',
      '@mandate/bus',
      '@mandate/audit',
      '@mandate/client',
    ],
  ],
  [
    'packages/documents',
    [
      ...ADAPTER,
      '@mandate/policy',
      '@mandate/control',
      '@mandate/manifest',
      '@mandate/agent-manifest',
      '@mandate/privacy',
    ],
  ],
  [
    'packages/cases',
    [
      ...ADAPTER,
      '@mandate/policy',
      '@mandate/control',
      '@mandate/privacy',
      '@mandate/documents',
      '@mandate/ledger',
      '@mandate/engine',
    ],
  ],
  ['packages/plane', [...SERVICE, ...SERVICES, '@mandate/documents']],
  [
    'packages/cli',
    [
      ...SERVICE,
      '@mandate/agent-manifest',
      '@mandate/client',
      '@mandate/reconcile',
      '@mandate/agent-manifest',
      '@mandate/documents',
      '@mandate/cases',
      '@mandate/plane',
      '@mandate/mcp',
      '@mandate/sdk',
      DEMO,
    ],
  ],
  [
    'packages/demo',
    [
      ...ADAPTER,
      '@mandate/control',
      '@mandate/server',
      '@mandate/client',
      '@mandate/documents',
      '@mandate/reconcile',
      '@mandate/plane',
      '@mandate/sdk',
    ],
  ],
  ['packages/control-log', [...ADAPTER, '@mandate/bus', '@mandate/policy', '@mandate/control']],
  ['packages/mcp', [...ADAPTER, '@mandate/sdk']],
  ['packages/context', [...CONTRACTS, '@mandate/sdk']],
  // The pages import types of answers from the services, and no code of them.
  ['packages/console', [...CONTRACTS, '@mandate/policy', '@mandate/control', ...SERVICES]],
  ['services/control', [...SERVICE, '@mandate/agent-manifest']],
  ['services/console', [...SERVICE, '@mandate/client']],
  ['services/runner', [...SERVICE, '@mandate/agent-manifest', '@mandate/client', '@mandate/sdk']],
  ['services/model-gateway', [...SERVICE, '@mandate/step', '@mandate/sdk']],
  ['packages/examples', ['@mandate/sdk', '@mandate/manifest', TESTING]],
  [
    'packages/sdk',
    [
      ...ADAPTER,
      '@mandate/step',
      '@mandate/policy',
      '@mandate/privacy',
      '@mandate/ledger',
      '@mandate/engine',
      '@mandate/bus',
    ],
  ],
]);

/** Packages that do no I/O and read no clock, so that the same arguments always give the same answer. */
export const PURE = [
  'packages/step',
  'packages/policy',
  'packages/control',
  'packages/manifest',
  'packages/agent-manifest',
];

const SERVER = ['packages/server'];

/**
 * Client libraries for databases, logs, HTTP, metrics and traces, each with the packages that may import it, even for
 * a type. A scope (`@fastify`) means all of its packages. The package `runtime` uses SQLite to lock files,
 * and an example keeps the memories of its agent there.
 */
const CLIENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['node:sqlite', ['packages/bus', 'packages/runtime', 'packages/examples']],
  ['kafkajs', ['packages/bus']],
  ['ioredis', ['packages/ledger', 'packages/sdk']],
  ['@clickhouse/client', ['packages/audit']],
  ['chdb', ['packages/audit']],
  ['fastify', SERVER],
  ['fastify-type-provider-zod', SERVER],
  ['@fastify', SERVER],
  ['pino', SERVER],
  ['prom-client', SERVER],
  ['@opentelemetry', SERVER],
  ['openid-client', ['services/console']],
]);

/** Returns every import that breaks a rule, as `path:line what is wrong`. */
export function importFaults(tree: Tree): string[] {
  return [...tree.files].flatMap(([path, text]) =>
    readModule(path, text).imports.flatMap(({ specifier, line }) => {
      const fault = specifier === null ? computed(path) : faultOf(tree, path, specifier);
      return fault === null ? [] : [`${path}:${line} ${fault}`];
    }),
  );
}

function computed(path: string): string | null {
  return isForTests(path) ? null : 'imports what is computed: name it, so that it can be checked';
}

function faultOf(tree: Tree, path: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return relativeFault(tree, path, specifier);
  const from = workspaceOf(tree, path);
  if (!specifier.startsWith('node:')) {
    const undeclared = declarationFault(tree, path, from, packageOf(specifier));
    if (undeclared !== null) return undeclared;
  }
  return isForTests(path)
    ? null
    : (workspaceFault(tree, from, specifier) ?? libraryFault(path, from, specifier));
}

function relativeFault(tree: Tree, path: string, specifier: string): string | null {
  // Vite gives the address of a built worker for `./worker.ts?worker&url`.
  const [file = specifier] = specifier.split('?worker&url');
  const target = posix.join(posix.dirname(path), file);
  if (specifier.endsWith('.json')) return null;
  if (!file.endsWith('.ts')) return `imports ${specifier}: write the path with its .ts`;
  if (!tree.files.has(target)) return `imports ${specifier}, which does not exist`;
  if (workspaceOf(tree, target) !== workspaceOf(tree, path)) {
    return `imports ${specifier} of another package: import it by the package's name`;
  }
  return !isForTests(path) && isForTests(target) ? `imports ${specifier}, which is for tests only` : null;
}

function declarationFault(tree: Tree, path: string, from: Workspace, name: string): string | null {
  if (name === from.name) return `imports its own package by name: write a relative path`;
  if (from.dependencies.includes(name)) return null;
  const isForDevelopment = name === DEMO || from.name === BUILT || ONLY_IN_A_CLONE.includes(from.name);
  if (isForDevelopment && from.devDependencies.includes(name)) return null;
  if (isForTests(path) || from.folder === '') {
    const root = tree.workspaces.find(({ folder }) => folder === '');
    const installed = [
      ...from.devDependencies,
      ...(root?.devDependencies ?? []),
      ...tree.workspaces.map((w) => w.name),
    ];
    if (installed.includes(name)) return null;
  }
  return `imports ${name}, which the package.json of ${from.name} does not declare`;
}

function workspaceFault(tree: Tree, from: Workspace, specifier: string): string | null {
  const name = packageOf(specifier);
  if (!tree.workspaces.some((workspace) => workspace.name === name)) return null;
  const allowed = ALLOWED.get(from.folder) ?? (from.folder.startsWith('services/') ? SERVICE : undefined);
  const isForTestsOnly = name === TESTING && allowed?.includes(TESTING) !== true;
  if (isForTestsOnly || /\/contract(\.ts)?$/.test(specifier)) {
    return `imports ${specifier}, which is for tests only`;
  }
  if (from.folder === '') return null;
  if (allowed === undefined) return `lies in ${from.folder}, of which no rule says whom it may import`;
  return allowed.includes(name) ? null : `imports ${name}: ${from.folder} must not`;
}

function libraryFault(path: string, from: Workspace, specifier: string): string | null {
  const name = packageOf(specifier);
  if (from.folder === 'schemas' && specifier !== 'zod')
    return `imports ${specifier}: schemas stand on zod alone`;
  if (PURE.includes(from.folder) && specifier.startsWith('node:')) {
    return `imports ${specifier}: ${from.folder} is pure`;
  }
  if (specifier === 'node:process' && !path.startsWith('scripts/')) {
    return 'imports node:process: name the global, so that its use can be checked';
  }
  const home = CLIENTS.get(name) ?? CLIENTS.get(name.split('/')[0] ?? name);
  return home === undefined || home.includes(from.folder)
    ? null
    : `imports ${name}, at home in ${home.join(', ')}`;
}

/** Returns the package that an import names: `@scope/name` for `@scope/name/sub`, and `name` for `name/sub`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
