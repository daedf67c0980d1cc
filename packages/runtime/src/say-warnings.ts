/** Passes warnings of Node to the log of the process. By default Node prints them as plain text. */
import type { EventEmitter } from 'node:events';

/** kafkajs asks for timers in the past and gets them at once, so this warning needs no action. */
const FOR_NOBODY = 'TimeoutNegativeWarning';

export function sayWarnings(process: EventEmitter, say: (warning: Error) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => {
    if (warning.name !== FOR_NOBODY) say(warning);
  });
}
