/**
 * Tests the lockfile. A newcomer runs `npm ci`, which installs only what the lockfile lists. So the lockfile must
 * list the engines of all platforms. When npm writes the lockfile, it leaves out packages that it cannot reach.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

type Entry = {
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  integrity?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};

const lockfile: { packages: Record<string, Entry> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'),
);
const entries = Object.entries(lockfile.packages);

/**
 * The hashes of these engines of chdb are unknown, because the registry that was used for the lockfile did not have
 * them. `npm ci` accepts an entry without a hash. When `npm install` runs on one of these platforms, it adds the
 * hash, and the engine can be removed from this list.
 */
const WITHOUT_HASH = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu'];

/** The platforms that Mandate runs on. Linux means glibc. */
const PLATFORMS = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'];

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function runsOn({ os, cpu, libc }: Entry, platform: string): boolean {
  const [system = '', processor = ''] = platform.split(' ');
  const suits = (wanted: string[] | undefined, own: string) => wanted === undefined || wanted.includes(own);
  return suits(os, system) && suits(cpu, processor) && (system !== 'linux' || suits(libc, 'glibc'));
}

const byName = new Map(entries.map(([path, entry]) => [nameOf(path), entry]));

/**
 * The packages that have a different engine for each platform. They are found by their optional dependencies, so no
 * list of names is needed.
 */
const withEngines = entries.flatMap(([path, { optionalDependencies = {} }]) => {
  const engines = Object.keys(optionalDependencies).flatMap((name) => byName.get(name) ?? []);
  const forPlatforms = engines.filter(({ os, cpu }) => os !== undefined && cpu !== undefined);
  return forPlatforms.length > 1 ? [[nameOf(path), forPlatforms] as const] : [];
});

test('every optional package is in the lockfile', () => {
  const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !byName.has(name))
      .map((name) => `${path} wants ${name}`),
  );
  expect(missing).toEqual([]);
});

test('every package with an engine for each platform lists the engines for Linux and macOS, x64 and arm64', () => {
  expect(withEngines.map(([name]) => name)).toEqual(
    expect.arrayContaining(['@biomejs/biome', 'chdb', 'ffi-rs', 'lightningcss', 'oxc-parser', 'rolldown']),
  );
  const missing = withEngines.flatMap(([name, engines]) =>
    PLATFORMS.filter((platform) => !engines.some((engine) => runsOn(engine, platform))).map(
      (platform) => `${name} has no engine for ${platform}`,
    ),
  );
  expect(missing).toEqual([]);
});

test('every package from a registry has a hash, except engines that the registry did not have', () => {
  const without = entries.filter(
    ([path, { link, integrity }]) =>
      path.includes('node_modules/') && link !== true && integrity === undefined,
  );
  expect(without.map(([path]) => nameOf(path))).toEqual(WITHOUT_HASH);
});

test('the lockfile names no registry', () => {
  const named = entries.filter(([, { resolved, link }]) => link !== true && resolved !== undefined);
  expect(named.map(([path]) => path)).toEqual([]);
});

test("the lockfile has the demo's tool servers as development dependencies only, because an image contains no demo", () => {
  // The runner calls the tools of manifests through this client.
  const ofRunner = ['@modelcontextprotocol/client', '@modelcontextprotocol/core'];
  const servers = entries.filter(
    ([path]) => nameOf(path).startsWith('@modelcontextprotocol/') && !ofRunner.includes(nameOf(path)),
  );
  expect(servers.length).toBeGreaterThanOrEqual(3);
  expect(servers.filter(([, { dev }]) => dev !== true).map(([path]) => path)).toEqual([]);
});
