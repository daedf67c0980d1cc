import { join } from 'node:path';
import { type StartedProcess, startProcess } from './start-process.ts';

const COMMAND = join(import.meta.dirname, '../../cli/src/main.ts');

/** Runs any command of `mandate` in a process of its own. */
export function spawnMandate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): StartedProcess {
  return startProcess(COMMAND, args, { ...process.env, ...env });
}

export type PlaneProcess = StartedProcess & {
  readonly url: string;
  /** The API keys by name. Empty unless this is the first start of the folder. */
  readonly keys: Readonly<Record<string, string>>;
};

type Ready = { url: string; keys: readonly { name: string; key: string }[] };

/** Starts a plane as users do: `mandate up` in its own process, with its own folder and port. */
export async function startPlane(options: {
  data: string;
  mandates?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}): Promise<PlaneProcess> {
  const args = ['up', '--json', '--data', options.data, '--port', '0', ...(options.args ?? [])];
  if (options.mandates !== undefined) args.push('--mandates', options.mandates);
  const started = spawnMandate(args, options.env);
  const { url, keys } = await started.says('stdout', (line): Ready => JSON.parse(line));
  return { ...started, url, keys: Object.fromEntries(keys.map(({ name, key }) => [name, key])) };
}
