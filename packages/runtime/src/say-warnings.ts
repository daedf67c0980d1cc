/** What Node warns of, said as its process says things: by itself Node prints it as text of its own. */
import type { EventEmitter } from 'node:events';

/** kafkajs asks for timers in the past, and gets them at once: nobody need do anything about it. */
const FOR_NOBODY = 'TimeoutNegativeWarning';

export function sayWarnings(process: EventEmitter, say: (warning: Error) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error) => {
    if (warning.name !== FOR_NOBODY) say(warning);
  });
}
