/** Finds the interpreter for logic steps. */
import { execFile } from 'node:child_process';
import { access, constants, realpath } from 'node:fs/promises';
import { promisify } from 'node:util';

export type FoundPython = { readonly python: string; readonly prefix: string };

/**
 * The paths where a distribution installs Python. The search path in the environment is not used, because the owner of
 * its folders is not known.
 */
export const DEFAULT_PYTHON = '/usr/bin/python3';
const PROBE_TIMEOUT_MS = 10_000;

/** The results of earlier searches. Starting an interpreter takes as long as a short step. */
const found = new Map<string, FoundPython>();

/** Returns null if there is no Python at this path. */
export async function findPython(path: string): Promise<FoundPython | null> {
  const known = found.get(path) ?? (await askPython(path));
  if (known !== null) found.set(path, known);
  return known;
}

async function askPython(path: string): Promise<FoundPython | null> {
  try {
    await access(path, constants.X_OK);
    const options = { env: {}, timeout: PROBE_TIMEOUT_MS, maxBuffer: 64 * 1024 };
    const asked = 'import sys; print(sys.executable); print(sys.base_prefix)';
    const { stdout } = await promisify(execFile)(path, ['-I', '-S', '-B', '-c', asked], options);
    const [executable = '', prefix = ''] = stdout.split('\n');
    return { python: await realpath(executable), prefix: await realpath(prefix) };
  } catch {
    return null;
  }
}
