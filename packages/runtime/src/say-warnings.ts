/** Writes warnings of Node to the log of the process. By default Node prints them as plain text. */
import type { EventEmitter } from 'node:events';

/**
 * The name of a warning that is not logged. kafkajs starts timers with a time in the past. Such timers run at once,
 * so no action is needed.
 */
const FOR_NOBODY = 'TimeoutNegativeWarning';

export function sayWarnings(process: EventEmitter, say: (warning: Error) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => {
    if (warning.name !== FOR_NOBODY) say(warning);
  });
}
