/** Writes warnings of Node to the log of the process. By default Node prints them as plain text. */
import type { EventEmitter } from 'node:events';

/**
 * True for warnings that are not logged, because they need no action. kafkajs starts timers with a time in the past.
 * Such timers run at once. Only Node 22 calls its SQLite experimental.
 */
function needsNoAction({ name, message }: Error): boolean {
  return name === 'TimeoutNegativeWarning' || (name === 'ExperimentalWarning' && /^SQLite\b/.test(message));
}

export function sayWarnings(process: EventEmitter, say: (warning: Error) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => {
    if (!needsNoAction(warning)) say(warning);
  });
}
