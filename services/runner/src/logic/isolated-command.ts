/** The command that runs Python without access to the network, to other processes and to the files of this machine. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogicLimits } from './logic-limits.ts';

const ISOLATE = readFileSync(join(import.meta.dirname, 'isolate.sh'), 'utf8');
const CHILD = readFileSync(join(import.meta.dirname, 'child.py'), 'utf8');

/**
 * The id of the user `nobody` and of its group. If the runner runs as root, Python gets this user, because the kernel
 * applies no limits to processes of root.
 */
const NOBODY = 65_534;

export type IsolatedPython = {
  /** The path of the interpreter, without links. */
  readonly python: string;
  /** The folder that contains the interpreter and its library. */
  readonly prefix: string;
  readonly limits: LogicLimits;
  /** True if the runner runs as root. */
  readonly asNobody: boolean;
};

/** The parts of the command, the program first. All programs are of util-linux and coreutils. */
export function isolatedCommand({ python, prefix, limits, asNobody }: IsolatedPython): string[] {
  const { cpuSeconds, memoryBytes, openFiles, fileBytes } = limits;
  return [
    // Kills the child if the runner dies.
    ...['setpriv', '--pdeathsig=KILL'],
    ...(asNobody ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []),
    ...['unshare', '--user', '--map-root-user', '--net', '--mount', '--pid', '--ipc', '--uts'],
    ...['--fork', '--kill-child=KILL'],
    ...['sh', '-c', ISOLATE, 'isolate.sh', python, prefix, CHILD],
    ...[cpuSeconds, memoryBytes, openFiles, fileBytes].map(String),
  ];
}
