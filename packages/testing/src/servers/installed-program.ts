/** Finds a program to run: on the PATH if its version is good enough, otherwise in a Debian package. */
import { debianProgram, type Program } from './debian-package.ts';
import { MissingServerError } from './missing-server.ts';
import { runTool } from './run-tool.ts';

export type InstalledProgram = Program & {
  /** The program and its origin, such as `redis-server 7.0.15, a Debian package in the cache`. */
  readonly what: string;
};

type Wanted = {
  /** The name of the program. Its package has the same name. */
  readonly name: string;
  /** The path of the program in its package. Default: `usr/bin/<name>`. */
  readonly path?: string;
  /** The option that makes the program print its version. */
  readonly versionOption: string;
  /** Returns the version from the printed text. Undefined if this version does not suffice. */
  readonly versionIn: (told: string) => string | undefined;
  /** Text that says what else a person could install if the program is missing. */
  readonly orInstall: string;
};

/** @throws MissingServerError if the program is neither on the PATH nor available from Debian */
export async function installedProgram(wanted: Wanted): Promise<InstalledProgram> {
  const { name, path = `usr/bin/${name}` } = wanted;
  const onPath = { command: name, env: {} };
  const version = await versionOf(onPath, wanted).catch(() => undefined);
  if (version !== undefined) return { ...onPath, what: `${name} ${version} of this machine` };
  const fetched = await debianProgram(name, path, wanted.orInstall);
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
