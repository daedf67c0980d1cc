/** Reads the answer of a logic step, and how the process ended. The code may have written anything. */
import { decodeText, JsonFault, readJson } from '@mandate/schemas';
import { z } from 'zod';
import type { LogicLimits } from './logic-limits.ts';
import { type LogicFailure, type LogicResult, logicFailure } from './logic-result.ts';

export type Ended = {
  /** The reason why the child could not be started. */
  readonly notStarted: string | null;
  /** Why the runner killed it. */
  readonly killed: 'timeout' | 'cancelled' | 'output' | 'printed' | null;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly answer: Buffer;
  readonly printed: Buffer;
};

const READY = Buffer.from('ready\n');
const MOST_QUOTED = 300;

const failed = z.strictObject({ failed: z.enum(['limit', 'code', 'raised']), message: z.string() });
const CODES: Readonly<Record<z.infer<typeof failed>['failed'], LogicFailure>> = {
  limit: 'LOGIC_LIMIT_EXCEEDED',
  code: 'LOGIC_CODE_INVALID',
  raised: 'LOGIC_RAISED',
};

export function resultOf(ended: Ended, limits: LogicLimits): LogicResult {
  if (ended.killed !== null) return killedResult(ended.killed, limits);
  if (!ended.answer.subarray(0, READY.length).equals(READY)) {
    return logicFailure(
      'LOGIC_ISOLATION_MISSING',
      `Python could not be isolated: ${reason(ended)}. Install util-linux, and allow user namespaces and mounts in them.`,
    );
  }
  const answer = ended.answer.subarray(READY.length);
  return answer.length === 0 ? withoutAnswer(ended, limits) : readAnswer(answer, limits);
}

function killedResult(killed: NonNullable<Ended['killed']>, limits: LogicLimits): LogicResult {
  switch (killed) {
    case 'timeout':
      return logicFailure('LOGIC_TIMEOUT', `The code did not end within ${limits.timeoutMs} ms.`);
    case 'cancelled':
      return logicFailure('LOGIC_CANCELLED', 'The step was cancelled.');
    case 'output':
      return logicFailure('LOGIC_OUTPUT_TOO_LARGE', `The output has more than ${limits.outputBytes} bytes.`);
    case 'printed':
      return logicFailure(
        'LOGIC_OUTPUT_TOO_LARGE',
        `The code printed more than ${limits.printedBytes} bytes.`,
      );
  }
}

/** The kernel kills a process that exceeds its CPU time, or when the machine has no memory left. */
function withoutAnswer(ended: Ended, limits: LogicLimits): LogicResult {
  const isKilled = ended.exitSignal === 'SIGKILL' || ended.exitCode === 128 + 9;
  return isKilled
    ? logicFailure(
        'LOGIC_LIMIT_EXCEEDED',
        `The code was killed: it used more than ${limits.cpuSeconds} s of CPU time, or the machine's memory.`,
      )
    : logicFailure('LOGIC_ENDED', `The code ended without an answer: ${reason(ended)}.`);
}

function readAnswer(bytes: Buffer, limits: LogicLimits): LogicResult {
  const invalid = (why: string) => logicFailure('LOGIC_OUTPUT_INVALID', `The answer is not usable: ${why}.`);
  const decoded = decodeText(bytes);
  if (!decoded.ok) return invalid(decoded.fault.message);
  let answer: unknown;
  try {
    answer = readJson(decoded.text);
  } catch (error) {
    if (error instanceof JsonFault) return invalid(error.message);
    throw error;
  }
  const failure = failed.safeParse(answer);
  if (failure.success) {
    return logicFailure(
      CODES[failure.data.failed],
      `The code failed: ${failure.data.message.slice(0, 1_000)}.`,
    );
  }
  const output = z.strictObject({ output: z.json() }).safeParse(answer);
  if (!output.success) return invalid('it does not come from run()');
  if (Buffer.byteLength(JSON.stringify(output.data.output)) > limits.outputBytes) {
    return killedResult('output', limits);
  }
  return { ok: true, output: output.data.output };
}

/** The end of the printed text, or how the child ended. */
function reason({ notStarted, printed, exitCode, exitSignal }: Ended): string {
  if (notStarted !== null) return notStarted;
  const text = printed.toString('utf8').trim().slice(-MOST_QUOTED);
  return text === '' ? `exit code ${exitCode ?? exitSignal}` : text;
}
