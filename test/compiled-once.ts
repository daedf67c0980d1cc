/** The many threads and processes that tests start share one cache of compiled code, so that they start faster. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
