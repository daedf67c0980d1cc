/** A small main.ts for tests that send signals to a real process. Its argument selects the behaviour. */
import { createLogger } from './pino-logger.ts';
import { runProcess } from './run-process.ts';

const behaviour = process.argv[2];
const held = setInterval(() => {}, 1_000);

await runProcess(process, {
  log: createLogger({ name: 'fixture' }),
  lingerMs: 50,
  parts: [
    {
      name: 'part',
      start: async () => ({
        stop: async () => {
          process.stdout.write('stopping\n');
          if (behaviour === 'hangs') await new Promise(() => {});
          if (behaviour !== 'leaks') clearInterval(held);
        },
      }),
    },
  ],
  onStarted: () => {
    process.stdout.write('started\n');
    if (behaviour === 'warns') {
      process.emitWarning('oh');
      setTimeout(() => {}, -1);
    }
    if (behaviour === 'throws') {
      setImmediate(() => {
        throw new Error('nobody catches this');
      });
    }
  },
});
