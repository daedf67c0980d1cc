/** A program to run: the one on the PATH if it will do, or Debian's. */
import { debianProgram, type Program } from './debian-package.ts';
import { MissingServerError } from './missing-server.ts';
import { runTool } from './run-tool.ts';

export type InstalledProgram = Program & {
  /** Such as `redis-server 7.0.15, a Debian package in the cache`. */
  readonly what: string;
};

type Wanted = {
  /** The name of the program, and of the package that brings it. */
  readonly name: string;
  /** What makes it tell its version. */
  readonly versionOption: string;
  /** The version in what it tells, or undefined where that is none that will do. */
  readonly versionIn: (told: string) => string | undefined;
  /** What else to install if the program is missing. */
  readonly orInstall: string;
};

/** @throws MissingServerError where it is neither on the PATH nor to be had from Debian */
export async function installedProgram(wanted: Wanted): Promise<InstalledProgram> {
  const { name } = wanted;
  const onPath = { command: name, env: {} };
  const version = await versionOf(onPath, wanted).catch(() => undefined);
  if (version !== undefined) return { ...onPath, what: `${name} ${version} of this machine` };
  const fetched = await debianProgram(name, wanted.orInstall);
  return { ...fetched, what: `${name} ${await versionOf(fetched, wanted)}, a Debian package in the cache` };
}

async function versionOf({ command, env }: Program, wanted: Wanted): Promise<string> {
  const { orInstall } = wanted;
  const told = await runTool(command, [wanted.versionOption], { env, orInstall });
  const version = wanted.versionIn(told);
  if (version === undefined) {
    throw new MissingServerError(`this ${wanted.name} will not do: ${orInstall}. It said: ${told}`);
  }
  return version;
}
