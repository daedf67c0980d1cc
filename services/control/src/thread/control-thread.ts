/** Where the control thread begins. */
import { enableCompileCache } from 'node:module';
import { workerData } from 'node:worker_threads';

// A thread does not take over what its process keeps compiled: without it the thread would compile every module again.
if (typeof workerData === 'string') enableCompileCache(workerData);
await import('./serve-jobs.ts');
