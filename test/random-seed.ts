/**
 * Random searches start from the same seed everywhere, so that a commit is green or red and never both by luck. `SEED=random`
 * explores (`npm run test:explore`), and `SEED=123` repeats what it found. A search that names no number of runs has 100 in
 * a full run, and fewer in a short one.
 */
import { runs, SEED } from '@mandate/testing/run-options';
import fc from 'fast-check';

const drawn = process.env.SEED === 'random' ? {} : { seed: SEED };

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...drawn, numRuns: runs(100) });
