/** Threads and processes that tests start, by the hundred, take what they run from what was compiled once. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
