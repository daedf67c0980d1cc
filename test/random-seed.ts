/**
 * Random tests start from the same seed everywhere, so that it is not luck whether a commit passes. `SEED=random`
 * tries other seeds (`npm run test:explore`), and `SEED=123` repeats a failure. A property that does not set its own
 * number of runs has 100 runs in a full run, and fewer in a short run.
 */
import { runs, SEED } from '@mandate/testing/run-options';
import fc from 'fast-check';

const drawn = process.env.SEED === 'random' ? {} : { seed: SEED };

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...drawn, numRuns: runs(100) });
