/**
 * Tests how much a program loads when it imports a package that is made for embedding. Such a package must start
 * fast. It loads no server, no client of metrics, logs or traces, and no parser that it does not need.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const FIXTURE = fileURLToPath(new URL('./loaded-modules.fixture.ts', import.meta.url));
const SERVER = ['@mandate/server', 'fastify', '@fastify', 'pino', 'prom-client', '@opentelemetry'];

/** Imports the package in a new process. Returns the modules that this loads, including Node's own modules. */
async function modulesOf(specifier: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [FIXTURE, specifier]);
  return stdout.split('\n');
}

/**
 * Returns the packages that contain these modules. A file of `packages/server` gives `@mandate/server`; a file of an
 * npm package gives the first part of the package's name (`@fastify`).
 */
function packagesIn(modules: readonly string[]): Set<string> {
  return new Set(
    modules.flatMap((url) => {
      const [, own] = /\/packages\/([^/]+)\/src\//.exec(url) ?? [];
      if (own !== undefined) return [`@mandate/${own}`];
      return url.split('/node_modules/').at(-1)?.split('/')[0] ?? [];
    }),
  );
}

test.each([
  { specifier: '@mandate/ledger', most: 200, never: [...SERVER, 'zod', 'yaml', 'ioredis'] },
  { specifier: '@mandate/policy', most: 265, never: [...SERVER, 'zod', 'yaml'] },
  { specifier: '@mandate/engine', most: 505, never: [...SERVER, 'yaml', 'ioredis'] },
  {
    specifier: '@mandate/client',
    most: 20,
    never: [...SERVER, '@mandate/runtime', '@mandate/schemas', 'zod'],
  },
  { specifier: '@mandate/sdk', most: 705, never: [...SERVER, 'ioredis', 'kafkajs'] },
  { specifier: '@mandate/bus', most: 300, never: [...SERVER, 'kafkajs'] },
  { specifier: '@mandate/audit', most: 450, never: SERVER },
])(
  '$specifier loads at most $most modules, and no module of a server',
  async ({ specifier, most, never }) => {
    const modules = await modulesOf(specifier);
    const packages = packagesIn(modules);
    expect(never.filter((name) => packages.has(name))).toEqual([]);
    expect(packages).toContain(specifier);
    expect(modules.length).toBeLessThanOrEqual(most);
  },
);

test('a call in local mode loads no server and no client of a server', async () => {
  const program = new URL('./local-mode.fixture.ts', import.meta.url).href;
  const packages = packagesIn(await modulesOf(program));
  expect([...SERVER, 'ioredis', 'kafkajs'].filter((name) => packages.has(name))).toEqual([]);
  expect(packages).toContain('@mandate/ledger');
});

test('finds the modules that a server loads', async () => {
  const packages = packagesIn(await modulesOf('@mandate/server'));
  expect([...packages]).toEqual(expect.arrayContaining(['@mandate/server', 'pino', 'prom-client']));
});
