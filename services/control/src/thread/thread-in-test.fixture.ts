/** Does the jobs of the control thread in the thread of a test. A new thread takes 0.6 s of a core to load its code. */
import { feedReplica } from '@mandate/control-log';
import { controlReplica } from '@mandate/control-log/replica';
import { doJob } from './do-job.ts';
import type { startControlThread } from './start-control-thread.ts';

export const startInTestThread: typeof startControlThread = (options) => {
  const replica = controlReplica();
  let grown = Promise.withResolvers<void>();
  const feeding = feedReplica(options, {
    ...replica,
    async apply(changes) {
      await replica.apply(changes);
      grown.resolve();
      grown = Promise.withResolvers();
    },
  });
  let isAlive = true;
  return {
    async do(job, revision, onBegin) {
      while (replica.revision() < revision) await grown.promise;
      onBegin();
      // Jobs and results are sent between threads, so they must be values that can be copied.
      return structuredClone(doJob(replica, structuredClone(job)));
    },
    isAlive: () => isAlive,
    async end() {
      isAlive = false;
      await feeding.then((fed) => fed.stop());
    },
  };
};
