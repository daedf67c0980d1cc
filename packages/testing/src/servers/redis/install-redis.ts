/**
 * A redis-server to run: the one on the PATH, or Debian's packages unpacked into the cache, which needs no root.
 *
 * apt works on a private copy of its state, so that it neither needs nor changes the machine's. It resolves the
 * packages against what the machine has installed, so only what is missing is fetched (7 MB unpacked on a Debian
 * with the usual libraries).
 */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedFolder } from '../cache-folder.ts';
import { MissingServerError } from '../missing-server.ts';
import { runTool } from '../run-tool.ts';

export type RedisBinary = {
  /** Such as `redis-server 7.0.15, Debian's package`. */
  readonly what: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The scripts are written for this one: `#!lua` with flags. */
const OLDEST_MAJOR = 7;
const OR_INSTALL = `install redis-server ${OLDEST_MAJOR} or later, or name one in MANDATE_TEST_REDIS_URL`;

let found: Promise<RedisBinary> | undefined;

/** @throws MissingServerError where there is neither a redis-server nor apt-get */
export function installedRedis(): Promise<RedisBinary> {
  found ??= onPath().then((installed) => installed ?? fromDebian());
  return found;
}

async function onPath(): Promise<RedisBinary | undefined> {
  const binary = { command: 'redis-server', env: {} };
  const version = await versionOf(binary).catch(() => undefined);
  if (version === undefined || Number.parseInt(version, 10) < OLDEST_MAJOR) return undefined;
  return { ...binary, what: `redis-server ${version} of this machine` };
}

async function fromDebian(): Promise<RedisBinary> {
  const folder = await cachedFolder(`redis-${await release()}-${process.arch}`, unpackDebianRedis);
  const libraries = (await readdir(join(folder, 'usr/lib'), { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  const paths = libraries.flatMap(({ name }) => [join(folder, 'usr/lib', name), join(folder, 'lib', name)]);
  const binary = {
    command: join(folder, 'usr/bin/redis-server'),
    env: { LD_LIBRARY_PATH: paths.join(':') },
  };
  return { ...binary, what: `redis-server ${await versionOf(binary)}, a Debian package in the cache` };
}

/** Such as `debian-12`: the libraries that the packages expect beside them are this release's. */
async function release(): Promise<string> {
  const told = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const value = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(told)?.[1] ?? 'unknown';
  return `${value('ID')}-${value('VERSION_ID')}`;
}

async function versionOf({ command, env }: Pick<RedisBinary, 'command' | 'env'>): Promise<string> {
  const said = await runTool(command, ['--version'], { env, orInstall: OR_INSTALL });
  const version = /v=(\d+\.\d+\.\d+)/.exec(said)?.[1];
  if (version === undefined) throw new MissingServerError(`redis-server says no version: ${said}`);
  return version;
}

async function unpackDebianRedis(into: string): Promise<void> {
  const apt = await mkdtemp(join(tmpdir(), 'mandate-apt-'));
  try {
    await mkdir(join(apt, 'lists/partial'), { recursive: true });
    await mkdir(join(apt, 'archives/partial'), { recursive: true });
    // apt locks the folder of this file, which only root may in its own place.
    await copyFile('/var/lib/dpkg/status', join(apt, 'status')).catch((cause) => {
      throw new MissingServerError(`this is no Debian: ${OR_INSTALL}`, { cause });
    });
    const isPrivate = [
      ...['-o', `Dir::State=${apt}`, '-o', `Dir::State::lists=${apt}/lists`],
      ...['-o', `Dir::State::status=${apt}/status`],
      ...['-o', `Dir::Cache=${apt}`, '-o', `Dir::Cache::archives=${apt}/archives`],
      // A machine without a network is told soon.
      ...['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'],
    ];
    const options = { orInstall: OR_INSTALL };
    await runTool('apt-get', ['update', '-q', ...isPrivate], options);
    const download = ['install', '--download-only', '--no-install-recommends', '-q', '-y', 'redis-server'];
    await runTool('apt-get', [...download, ...isPrivate], options);
    const packages = (await readdir(join(apt, 'archives'))).filter((name) => name.endsWith('.deb'));
    for (const name of packages) await runTool('dpkg', ['-x', join(apt, 'archives', name), into], options);
  } finally {
    await rm(apt, { recursive: true, force: true });
  }
}
