/**
 * Unpacks Debian packages into the cache, without root.
 *
 * apt works on a private copy of its state, so it neither needs nor changes the machine's state. It resolves the
 * packages against the packages that are installed, so only missing ones are fetched (7 MB unpacked for Redis on a
 * Debian with the usual libraries, 2 MB for kcat, 320 MB for Prometheus, of which 22 MB are fetched).
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedFolder } from './cache-folder.ts';
import { MissingServerError } from './missing-server.ts';
import { runTool } from './run-tool.ts';

export type Program = {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Returns the program at this path in the package of this name.
 *
 * @throws MissingServerError if there is no apt-get, or if the package cannot be fetched
 */
export async function debianProgram(name: string, path: string, orInstall: string): Promise<Program> {
  const folder = await cachedFolder(`${name}-${await release()}-${process.arch}`, (into) =>
    unpackPackage(name, into, orInstall),
  );
  const paths = [...(await foldersIn(join(folder, 'usr/lib'))), ...(await foldersIn(join(folder, 'lib')))];
  return {
    command: join(folder, path),
    env: {
      LD_LIBRARY_PATH: paths.join(':'),
      // Only if the machine has no fonts, they are among the packages.
      ...(existsSync(join(folder, 'etc/fonts')) && { FONTCONFIG_SYSROOT: folder }),
    },
  };
}

/**
 * Returns the folders in `path`, and the folders in these: some libraries have their own. Empty if `path` does not
 * exist, because the machine has all libraries that the program needs.
 */
async function foldersIn(path: string): Promise<string[]> {
  const within = async (folder: string) => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  };
  const outer = await within(path);
  return [...outer, ...(await Promise.all(outer.map(within))).flat()];
}

/** Returns the name of the release, such as `debian-12`. The packages need the libraries of this release. */
async function release(): Promise<string> {
  const told = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const value = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(told)?.[1] ?? 'unknown';
  return `${value('ID')}-${value('VERSION_ID')}`;
}

async function unpackPackage(name: string, into: string, orInstall: string): Promise<void> {
  const apt = await mkdtemp(join(tmpdir(), 'mandate-apt-'));
  try {
    await mkdir(join(apt, 'lists/partial'), { recursive: true });
    await mkdir(join(apt, 'archives/partial'), { recursive: true });
    // The file is copied because apt locks its folder, and only root may lock the original folder.
    await copyFile('/var/lib/dpkg/status', join(apt, 'status')).catch((cause) => {
      throw new MissingServerError(`this is no Debian: ${orInstall}`, { cause });
    });
    const isPrivate = [
      ...['-o', `Dir::State=${apt}`, '-o', `Dir::State::lists=${apt}/lists`],
      ...['-o', `Dir::State::status=${apt}/status`],
      ...['-o', `Dir::Cache=${apt}`, '-o', `Dir::Cache::archives=${apt}/archives`],
      // Without a network, apt fails soon because of these options.
      ...['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'],
    ];
    await runTool('apt-get', ['update', '-q', ...isPrivate], { orInstall });
    const download = ['install', '--download-only', '--no-install-recommends', '-q', '-y', name];
    await runTool('apt-get', [...download, ...isPrivate], { orInstall });
    const packages = (await readdir(join(apt, 'archives'))).filter((file) => file.endsWith('.deb'));
    for (const file of packages) {
      await runTool('dpkg', ['-x', join(apt, 'archives', file), into], { orInstall });
    }
  } finally {
    await rm(apt, { recursive: true, force: true });
  }
}
