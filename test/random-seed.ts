/**
 * Random tests start from the same seed everywhere, so that a commit does not pass or fail by luck. `SEED=random`
 * tries others (`npm run test:explore`), and `SEED=123` repeats a failure. A property without a number of runs has
 * 100 in a full run, and fewer in a short one.
 */
import { runs, SEED } from '@mandate/testing/run-options';
import fc from 'fast-check';

const drawn = process.env.SEED === 'random' ? {} : { seed: SEED };

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...drawn, numRuns: runs(100) });
