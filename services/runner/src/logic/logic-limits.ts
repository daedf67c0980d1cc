/** The limits of one logic step. The child sets the first four for itself, before it reads the code. */
export type LogicLimits = {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** The maximum number of files that the code may have open. */
  readonly openFiles: number;
  readonly fileBytes: number;
  /** The time from the start of the child until it is killed. */
  readonly timeoutMs: number;
  readonly inputBytes: number;
  /** The size of the output as JSON. */
  readonly outputBytes: number;
  /** The size of the text that the code prints. */
  readonly printedBytes: number;
};

const MIB = 1024 * 1024;

export const LOGIC_LIMITS: LogicLimits = {
  cpuSeconds: 10,
  memoryBytes: 512 * MIB,
  openFiles: 64,
  fileBytes: 10 * MIB,
  timeoutMs: 30_000,
  inputBytes: 8 * MIB,
  outputBytes: 128 * 1024,
  printedBytes: MIB,
};
