/** promtool: the program of Prometheus that checks configurations, rules and expressions. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type InstalledProgram, installedProgram } from './installed-program.ts';

/** The installed Prometheus. Its package contains promtool. */
let found: Promise<InstalledProgram> | undefined;

/** @throws MissingServerError if Prometheus and apt-get are both missing */
export function installedPromtool(): Promise<InstalledProgram> {
  found ??= installedProgram({
    name: 'prometheus',
    versionOption: '--version',
    versionIn: (told) => /version (\d+\.\d+\.\d+)/.exec(told)?.[1],
    orInstall: 'install prometheus',
  }).then(({ command, ...program }) => ({ ...program, command: join(dirname(command), 'promtool') }));
  return found;
}

/** Runs promtool. Returns its output whether the check succeeds or fails. */
export async function promtool(
  args: readonly string[],
  folder: string,
): Promise<{ ok: boolean; said: string }> {
  const { command, env } = await installedPromtool();
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    return { ok: true, said: `${stdout}${stderr}` };
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error && 'stderr' in error)) throw error;
    return { ok: false, said: `${error.stdout}${error.stderr}` };
  }
}
