/** Writes warnings of Node to the log of the process. By default Node prints them as plain text. */
import type { EventEmitter } from 'node:events';

/**
 * True for warnings that are not logged, because they need no action. kafkajs starts timers with a time in the past,
 * and such timers run at once. Node 22 calls its SQLite experimental, which Node 24 does not.
 */
function isForNobody({ name, message }: Error): boolean {
  return name === 'TimeoutNegativeWarning' || (name === 'ExperimentalWarning' && /^SQLite\b/.test(message));
}

export function sayWarnings(process: EventEmitter, say: (warning: Error) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => {
    if (!isForNobody(warning)) say(warning);
  });
}
