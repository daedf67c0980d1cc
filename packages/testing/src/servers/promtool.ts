/** promtool: Prometheus' own check of configurations, rules and expressions. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type InstalledProgram, installedProgram } from './installed-program.ts';

/** `found` is Prometheus, because its package contains promtool. */
let found: Promise<InstalledProgram> | undefined;

/** @throws MissingServerError if there is neither a Prometheus nor apt-get */
export function installedPromtool(): Promise<InstalledProgram> {
  found ??= installedProgram({
    name: 'prometheus',
    versionOption: '--version',
    versionIn: (told) => /version (\d+\.\d+\.\d+)/.exec(told)?.[1],
    orInstall: 'install prometheus',
  }).then(({ command, ...program }) => ({ ...program, command: join(dirname(command), 'promtool') }));
  return found;
}

/** Returns the output of promtool, whether the check succeeds or fails. */
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
