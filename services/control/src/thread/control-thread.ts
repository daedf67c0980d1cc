/** The main module of the control thread. */
import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

// A thread does not inherit the compile cache of its process. Without the cache, it would compile every module again.
if (typeof workerData === 'string') enableCompileCache(workerData);
await import('./serve-jobs.ts');
