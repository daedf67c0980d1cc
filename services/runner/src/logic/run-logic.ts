/**
 * Runs the code of a logic step in a Python process of its own. The process has no network, no environment, no other
 * process, and sees no files except Python and its libraries. Its working folder is in memory, and disappears with the
 * process. It has limits for time, memory and files. When it ends or is killed, every process that it left is killed
 * too.
 *
 * These limits do not protect against code that attacks the kernel. So logic steps are off by default, and a person
 * confirms their code.
 */
import { spawn } from 'node:child_process';
import type { Json } from '@mandate/schemas';
import { DEFAULT_PYTHON, findPython } from './find-python.ts';
import { isolatedCommand } from './isolated-command.ts';
import { LOGIC_LIMITS, type LogicLimits } from './logic-limits.ts';
import { type LogicResult, logicFailure } from './logic-result.ts';
import { type Ended, resultOf } from './read-answer.ts';

/** The code defines `run(inputs, state, steps)` and returns JSON. */
export type LogicStepInput = {
  readonly code: string;
  readonly inputs: Json;
  readonly state: Json;
  readonly steps: Json;
};

export type LogicOptions = {
  /** The path of the interpreter. */
  readonly python?: string | undefined;
  /** Ends the step. Its result is then LOGIC_CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<LogicLimits> | undefined;
  /** The folders of `unshare`, `setpriv` and `mount`, separated by colons. */
  readonly systemPath?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
};

const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

export async function runLogic(given: LogicStepInput, options: LogicOptions = {}): Promise<LogicResult> {
  const { python = DEFAULT_PYTHON, signal, platform = process.platform } = options;
  const limits = { ...LOGIC_LIMITS, ...options.limits };
  if (signal?.aborted === true) return logicFailure('LOGIC_CANCELLED', 'The step was cancelled.');
  if (platform !== 'linux') {
    return logicFailure(
      'LOGIC_ISOLATION_MISSING',
      `Logic steps run only on Linux, because they need its namespaces. This machine has ${platform}.`,
    );
  }
  const { code, inputs, state, steps } = given;
  const input = Buffer.from(JSON.stringify({ code, inputs, state, steps }));
  if (input.length > limits.inputBytes) {
    return logicFailure(
      'LOGIC_INPUT_TOO_LARGE',
      `The code and its data have ${input.length} bytes, and may have ${limits.inputBytes}.`,
    );
  }
  const found = await findPython(python);
  if (found === null) {
    return logicFailure(
      'LOGIC_PYTHON_MISSING',
      `There is no Python at ${python}. Install it, or name its path in the configuration of the runner.`,
    );
  }
  const command = isolatedCommand({ ...found, limits, asNobody: process.getuid?.() === 0 });
  const ended = await runChild(command, input, limits, options.systemPath ?? SYSTEM_PATH, signal);
  return resultOf(ended, limits);
}

/** Resolves after the child has ended. Then its namespaces have ended too. */
function runChild(
  [program = '', ...args]: readonly string[],
  input: Buffer,
  limits: LogicLimits,
  systemPath: string,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { PATH: systemPath }, cwd: '/', detached: true });
    const answer: Buffer[] = [];
    const printed: Buffer[] = [];
    let killed: Ended['killed'] = null;
    let notStarted: string | null = null;

    const kill = (why: NonNullable<Ended['killed']>) => {
      killed ??= why;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const collect = (chunks: Buffer[], most: number, tooLarge: NonNullable<Ended['killed']>) => {
      let size = 0;
      return (chunk: Buffer) => {
        size += chunk.length;
        if (size <= most) chunks.push(chunk);
        else kill(tooLarge);
      };
    };
    const timer = setTimeout(() => kill('timeout'), limits.timeoutMs);
    const cancel = () => kill('cancelled');
    signal?.addEventListener('abort', cancel, { once: true });

    child.stdout.on('data', collect(answer, limits.outputBytes + ROOM_OF_ANSWER, 'output'));
    child.stderr.on('data', collect(printed, limits.printedBytes, 'printed'));
    // A child that ends, or closes its input, before it has read everything is not a fault of the runner.
    child.stdin.on('error', () => {});
    child.on('error', (error) => {
      notStarted = error.message;
    });
    child.on('close', (exitCode, exitSignal) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      resolve({
        notStarted,
        killed,
        exitCode,
        exitSignal,
        answer: Buffer.concat(answer),
        printed: Buffer.concat(printed),
      });
    });
    child.stdin.end(input);
  });
}

/** The number of bytes of an answer besides its output, and of the line that says that the child is ready. */
const ROOM_OF_ANSWER = 64;

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
