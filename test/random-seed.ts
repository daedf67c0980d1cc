/**
 * Random searches start from the same seed everywhere, so that a commit is green or red and never both by luck. `SEED=random`
 * explores (`npm run test:explore`), and `SEED=123` repeats what it found.
 */
import fc from 'fast-check';

const ALWAYS = 20_261_121;
const seed = process.env.SEED ?? String(ALWAYS);

if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
