import { describe, expect, it } from 'vitest';
import { cyclesOf, fileCycles, workspaceCycles } from './cycles.ts';
import { globalFaults } from './global-rules.ts';
import { importFaults } from './import-rules.ts';
import { ROOT } from './repository.ts';
import { isForTests, readTree, type Tree } from './tree.ts';

describe('this repository', () => {
  const tree = readTree(ROOT);

  it('has enough files for the rules to mean something', () => {
    expect(tree.workspaces.map(({ name }) => name)).toContain('@mandate/schemas');
    expect([...tree.files.keys()]).toContain('schemas/src/index.ts');
    expect([...tree.files.keys()].filter((path) => path.includes('node_modules'))).toEqual([]);
  });
  it('imports only what the rules allow', () => {
    expect(importFaults(tree)).toEqual([]);
  });
  it('imports the context builder nowhere but in tests, because it fails open', () => {
    const importing = [...tree.files].filter(
      ([path, text]) =>
        !isForTests(path) &&
        !path.startsWith('packages/context/') &&
        /(?:from|import) '@mandate\/context['/]/.test(text),
    );
    expect(importing.map(([path]) => path)).toEqual([]);
  });
  it('reads the environment at entry points only, and uses nothing impure in the pure packages', () => {
    expect(globalFaults(tree)).toEqual([]);
  });
  it('has no cycle of files', () => {
    expect(fileCycles(tree)).toEqual([]);
  });
  it('has no cycle of packages', () => {
    expect(workspaceCycles(tree)).toEqual([]);
  });
});

/** Returns a small repository that breaks no rule, with these files added. */
function house(files: Record<string, string>): Tree {
  const workspace = (folder: string, dependencies: string[] = []) => ({
    folder,
    name: `@mandate/${folder.split('/').at(-1)}`,
    dependencies,
    devDependencies: [],
  });
  const all = [
    'schemas',
    'runtime',
    'policy',
    'ledger',
    'bus',
    'audit',
    'testing',
    'server',
    'control-log',
    'decider',
    'gateway',
    'cli',
    'plane',
  ].map((name) => `@mandate/${name}`);
  return {
    workspaces: [
      { folder: '', name: 'root', dependencies: [], devDependencies: ['vitest'] },
      workspace('schemas', ['zod', ...all]),
      ...[
        'policy',
        'runtime',
        'ledger',
        'bus',
        'audit',
        'server',
        'control-log',
        'testing',
        'cli',
        'plane',
        'examples',
        'newcomer',
      ].map((name) => workspace(`packages/${name}`, ['ajv', 'kafkajs', '@opentelemetry/api', ...all])),
      workspace('services/decider', [
        'ioredis',
        'chdb',
        '@clickhouse/client',
        'kafkajs',
        'fastify',
        '@fastify/cors',
        ...all,
      ]),
      workspace('services/gateway', all),
    ],
    files: new Map(Object.entries(files)),
  };
}

describe('an import', () => {
  it.each([
    ['of a contract', 'packages/policy/src/a.ts', "import type { Action } from '@mandate/schemas';"],
    ['of a pure library, by policy', 'packages/policy/src/a.ts', "import { Ajv } from 'ajv';"],
    ['of an adapter, by a service', 'services/decider/app.ts', "export * from '@mandate/ledger';"],
    [
      'of a service, by the composition root',
      'packages/plane/src/a.ts',
      "import '@mandate/decider'; import '@mandate/policy';",
    ],
    [
      'of a client, at home',
      'packages/bus/src/a.ts',
      "import { Kafka } from 'kafkajs'; import 'node:sqlite';",
    ],
    [
      'of anything, by a test',
      'packages/ledger/src/a.test.ts',
      "import '@mandate/policy'; import 'vitest'; import 'node:fs';",
    ],
    ['of test support, by a contract suite', 'packages/bus/src/contract.ts', "import '@mandate/testing';"],
    [
      'of test support, by an example',
      'packages/examples/src/a.ts',
      "import '@mandate/testing/model-server';",
    ],
    [
      'of a name that only looks like a client',
      'packages/policy/src/a.ts',
      "// import 'node:fs'\nconst a = `import 'node:fs'`; export { a };",
    ],
  ])('is allowed: %s', (_name, path, text) => {
    expect(importFaults(house({ [path]: text }))).toEqual([]);
  });

  it.each([
    ['schemas beyond zod', 'schemas/src/a.ts', "import 'ajv';", 'does not declare'],
    ['schemas on Node', 'schemas/src/a.ts', "import 'node:fs';", 'schemas stand on zod alone'],
    ['schemas on a package', 'schemas/src/a.ts', "import '@mandate/runtime';", 'schemas must not'],
    [
      'policy on Node',
      'packages/policy/src/a.ts',
      "import { readFileSync } from 'node:fs';",
      'policy is pure',
    ],
    [
      'policy on Node, for a type',
      'packages/policy/src/a.ts',
      "type Stats = import('node:fs').Stats;",
      'policy is pure',
    ],
    [
      'policy on runtime',
      'packages/policy/src/a.ts',
      "import '@mandate/runtime';",
      'packages/policy must not',
    ],
    [
      'runtime on policy',
      'packages/runtime/src/a.ts',
      "import '@mandate/policy';",
      'packages/runtime must not',
    ],
    [
      'one adapter on another',
      'packages/ledger/src/a.ts',
      "export * from '@mandate/bus';",
      'packages/ledger must not',
    ],
    [
      'an adapter on policy',
      'packages/audit/src/a.ts',
      "export { a } from '@mandate/policy';",
      'packages/audit must not',
    ],
    [
      'an adapter on policy, when it runs',
      'packages/bus/src/a.ts',
      "await import('@mandate/policy');",
      'packages/bus must not',
    ],
    [
      'an adapter on a service',
      'packages/bus/src/a.ts',
      "import '@mandate/decider';",
      'packages/bus must not',
    ],
    [
      'a service on a service',
      'services/gateway/main.ts',
      "import '@mandate/decider';",
      'services/gateway must not',
    ],
    [
      'a service on the command',
      'services/gateway/main.ts',
      "import '@mandate/cli';",
      'services/gateway must not',
    ],
    [
      'the command on a service',
      'packages/cli/src/a.ts',
      "import '@mandate/decider';",
      'packages/cli must not',
    ],
    [
      'the command on a service, when it runs',
      'packages/cli/src/a.ts',
      "await import('@mandate/decider');",
      'packages/cli must not',
    ],
    [
      'the composition root on the command',
      'packages/plane/src/a.ts',
      "import '@mandate/cli';",
      'packages/plane must not',
    ],
    [
      'a package that no rule knows',
      'packages/newcomer/src/a.ts',
      "import '@mandate/schemas';",
      'no rule says',
    ],
    ['a service on Kafka', 'services/decider/main.ts', "import 'kafkajs';", 'at home in packages/bus'],
    ['a service on Redis', 'services/decider/app.ts', "import 'ioredis';", 'at home in packages/ledger'],
    ['a service on SQLite', 'services/gateway/app.ts', "import 'node:sqlite';", 'at home in packages/bus'],
    [
      'a service on ClickHouse',
      'services/decider/app.ts',
      "import '@clickhouse/client';",
      'at home in packages/audit',
    ],
    [
      'a service on chdb',
      'services/decider/app.ts',
      "import 'chdb/connection';",
      'at home in packages/audit',
    ],
    [
      'a service on fastify, for a type',
      'services/decider/app.ts',
      "import type { FastifyRequest } from 'fastify';",
      'at home in packages/server',
    ],
    [
      'a service on a plugin of fastify',
      'services/decider/app.ts',
      "import '@fastify/cors';",
      'at home in packages/server',
    ],
    [
      'an adapter on OpenTelemetry',
      'packages/ledger/src/a.ts',
      "import '@opentelemetry/api';",
      'at home in packages/server',
    ],
    [
      'an adapter on the server',
      'packages/bus/src/a.ts',
      "import '@mandate/server';",
      'packages/bus must not',
    ],
    [
      'the control log on the server',
      'packages/control-log/src/a.ts',
      "import type { KeyStore } from '@mandate/server';",
      'packages/control-log must not',
    ],
    ['test support', 'services/decider/app.ts', "import '@mandate/testing';", 'for tests only'],
    ['test support, by the command', 'packages/cli/src/a.ts', "import '@mandate/testing';", 'for tests only'],
    ['the ledger, by an example', 'packages/examples/src/a.ts', "import '@mandate/ledger';", 'must not'],
    ['a contract suite', 'services/decider/app.ts', "import '@mandate/ledger/contract';", 'for tests only'],
    [
      'an import with a computed path',
      'packages/cli/src/a.ts',
      'export const load = (name: string) => import(name);',
      'computed',
    ],
    [
      'a package that no package.json declares',
      'packages/cli/src/a.ts',
      "import 'left-pad/sub';",
      'imports left-pad, which',
    ],
    ['a library of the root, outside tests', 'packages/cli/src/a.ts', "import 'vitest';", 'does not declare'],
    [
      'a package that no package.json declares, in a test',
      'packages/cli/src/a.test.ts',
      "import 'left-pad';",
      'does not declare',
    ],
    ['a package by its own name', 'packages/bus/src/a.ts', "import '@mandate/bus';", 'its own package'],
    [
      'process through node:process',
      'packages/bus/src/a.ts',
      "import { env } from 'node:process';",
      'node:process',
    ],
    ['no extension', 'packages/bus/src/a.ts', "import './b';", 'with its .ts'],
    ['a file that does not exist', 'packages/bus/src/a.ts', "import './b.ts';", 'does not exist'],
  ])('is refused: %s', (_name, path, text, fault) => {
    const found = importFaults(house({ [path]: text }));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${path}:1 `));
    expect(found[0]).toContain(fault);
  });

  it('is refused: a path into another package, even in a test', () => {
    const files = {
      'packages/bus/src/a.test.ts': "\nimport '../../ledger/src/b.ts';",
      'packages/ledger/src/b.ts': 'export {};',
    };
    expect(importFaults(house(files))).toEqual([
      "packages/bus/src/a.test.ts:2 imports ../../ledger/src/b.ts of another package: import it by the package's name",
    ]);
  });

  it('is refused: a test file, imported by product code', () => {
    const files = {
      'packages/bus/src/a.ts': "import './contract.ts';",
      'packages/bus/src/contract.ts': 'export {};',
    };
    expect(importFaults(house(files))).toEqual([
      'packages/bus/src/a.ts:1 imports ./contract.ts, which is for tests only',
    ]);
  });
});

describe('a global', () => {
  it.each([
    ['the environment at an entry point', 'services/decider/main.ts', 'export const env = process.env;'],
    ['the environment in a script', 'scripts/a.ts', 'export const env = process.env;'],
    ['the environment in a test', 'packages/bus/src/a.test.ts', 'export const env = process.env;'],
    ['the process elsewhere', 'packages/runtime/src/a.ts', "process.once('SIGTERM', () => {});"],
    [
      'a process that is passed in',
      'packages/runtime/src/a.ts',
      'export const a = (process: { exit(): void }) => process;',
    ],
    ['a date of a given time', 'packages/policy/src/a.ts', 'export const at = (ms: number) => new Date(ms);'],
    ['a date of the current time', 'packages/policy/src/a.ts', "export const at = Date.parse('2026-01-01');"],
    [
      'a name that is a label',
      'packages/policy/src/a.ts',
      'export const a = (b: { fetch: 1 }) => ({ crypto: b.fetch });',
    ],
    ['a type', 'packages/policy/src/a.ts', 'export type A = Date | Crypto;'],
  ])('is allowed: %s', (_name, path, text) => {
    expect(globalFaults(house({ [path]: text }))).toEqual([]);
  });

  it.each([
    ['packages/runtime/src/a.ts', 'export const a = process.env;', 'process.env'],
    ['packages/runtime/src/a.ts', "export const a = process['env'];", 'process.env'],
    ['packages/runtime/src/a.ts', 'export const { env } = process;', 'process.env'],
    ['packages/cli/src/command.ts', 'export const a = globalThis.process;', 'globalThis.process'],
    ['services/decider/app.ts', 'export const a = process.env.B;', 'process.env'],
    ...[
      'Date.now()',
      'new Date()',
      'Date()',
      'Math.random()',
      'performance.now()',
      'crypto.randomUUID()',
      "fetch('x')",
      'setTimeout(() => {}, 1)',
      'process.exit()',
      'globalThis.anything',
      "console.log('x')",
      '[Date.now]',
      '{ fetch }',
    ].map((code): [string, string, string] => [
      'packages/policy/src/a.ts',
      `export const a = ${code};`,
      'policy is pure',
    ]),
  ])('is refused in %s: %s', (path, text, fault) => {
    const found = globalFaults(house({ [path]: text }));
    expect(found[0]).toContain(`${path}:1 names `);
    expect(found[0]).toContain(fault);
  });
});

describe('a cycle', () => {
  it('among files is found, even if a type import or a test is part of the cycle', () => {
    const files = {
      'packages/bus/src/a.ts': "import './b.ts';",
      'packages/bus/src/b.ts': "import type { C } from './deep/c.ts';",
      'packages/bus/src/deep/c.ts': "export * from '../a.ts';",
      'packages/bus/src/d.test.ts': "import './d.test.ts';",
      'packages/bus/src/e.ts': "import './a.ts';",
    };
    expect(fileCycles(house(files))).toEqual([
      ['packages/bus/src/a.ts', 'packages/bus/src/b.ts', 'packages/bus/src/deep/c.ts'],
      ['packages/bus/src/d.test.ts'],
    ]);
  });

  it('among packages is found, but not if a test is part of the cycle', () => {
    const files = {
      'packages/cli/src/a.ts': "import '@mandate/decider';",
      'services/decider/app.ts': "import '@mandate/cli/sub';",
      'packages/ledger/src/a.test.ts': "import '@mandate/testing';",
      'packages/testing/src/a.ts': "import '@mandate/ledger';",
    };
    expect(workspaceCycles(house(files))).toEqual([['@mandate/cli', '@mandate/decider']]);
  });

  it('is found whichever file the search begins with', () => {
    const graph = new Map([
      ['start', ['x']],
      ['x', ['y', 'end']],
      ['y', ['z']],
      ['z', ['x']],
      ['end', []],
    ]);
    expect(cyclesOf(graph)).toEqual([['x', 'y', 'z']]);
    expect(cyclesOf(new Map([...graph].toReversed()))).toEqual([['x', 'y', 'z']]);
  });
});
