import { TEST_LENGTH } from '@mandate/testing/run-options';
import { defineConfig } from 'vitest/config';
import { FULL_RUN_FILES } from './test/full-runs.ts';
import { SlowFirst } from './test/slow-first.ts';

const onlyInFullRuns = TEST_LENGTH === 'short' ? FULL_RUN_FILES.map(({ file }) => file) : [];

/** Replaces a module of Node, so it shares no modules with other files. */
const SIMULATION = 'test/faults/simulation/simulation.test.ts';

/** A condition may take as long as `waitUntil` allows. A second, the default, is too short beside other work. */
const PATIENT = { poll: { timeout: 45_000 } };

// `unit` is what runs in seconds with no process started and no file but temporary ones;
// `system` starts the real thing (processes, sockets) on what comes with npm, and may take minutes;
// `servers` needs Redis, Kafka or ClickHouse, and says which it found where;
// `simulation` is the plane in virtual time.
export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{schemas,packages,services}/**/*.test.ts',
            'test/{cases,laws,architecture,json-schema}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.{system,servers}.test.ts'],
          setupFiles: ['test/random-seed.ts'],
          // All end within a second or so; the limit is for a machine that has much else to do.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // No module keeps state, so files may share what they import: half the time goes into importing otherwise.
          isolate: false,
          // Without it a core is left idle: half the time on two of them.
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/{e2e,faults,mcp}/**/*.test.ts', '**/*.system.test.ts'],
          exclude: ['**/node_modules/**', '**/*.servers.test.ts', SIMULATION, ...onlyInFullRuns],
          globalSetup: ['test/temporary-in-memory.ts', 'test/say-backends.ts'],
          setupFiles: ['test/random-seed.ts', 'test/compiled-once.ts'],
          // A plane has more than a thousand modules. Loading them for each file took a third of the time of many files.
          isolate: false,
          expect: PATIENT,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          // One more than the cores: processes that start, are killed and waited for leave one idle for much of the time.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'simulation',
          include: [SIMULATION],
          setupFiles: ['test/random-seed.ts'],
          testTimeout: 300_000,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'servers',
          include: ['**/*.servers.test.ts'],
          exclude: ['**/node_modules/**', ...onlyInFullRuns],
          globalSetup: ['test/temporary-in-memory.ts', 'test/say-backends.ts'],
          setupFiles: ['test/random-seed.ts', 'test/compiled-once.ts', 'test/no-timer-warnings.ts'],
          isolate: false,
          expect: PATIENT,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          // The same of servers that are killed, away or coming back. In one group, so that neither waits for the other's last file.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
