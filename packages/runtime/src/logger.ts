/**
 * The port of logs. Every part that writes log lines uses a `Logger`, and does not know where the lines go. The
 * process chooses: `createLogger` of @mandate/server writes JSON lines to stderr, and `silentLogger` writes nothing.
 */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes one line. `facts` are the fields of the line. Put an error into the field `err`. */
type WriteLine = {
  (facts: object, message?: string): void;
  (message: string): void;
};

export type Logger = Readonly<Record<LogLevel, WriteLine>> & {
  /** The lowest level that is written. */
  level: string;
  /** True if lines of this level are written. Check it before costly work for a line. */
  isLevelEnabled(level: LogLevel): boolean;
  /** Returns a logger that adds `facts` to each of its lines. */
  child(facts: object): Logger;
};

/** Returns a logger that writes nothing, for tests and for tools that print their result. */
export function silentLogger(): Logger {
  const write = () => {};
  const log: Logger = {
    ...{ trace: write, debug: write, info: write, warn: write, error: write, fatal: write, silent: write },
    level: 'silent',
    isLevelEnabled: () => false,
    child: () => log,
  };
  return log;
}
