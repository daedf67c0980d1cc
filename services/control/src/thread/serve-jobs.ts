/**
 * The control thread: holds a replica of the control fold and does long jobs, one after the other. The event loop sends it
 * the records of the log, and may end it at any moment. The thread decides nothing.
 */
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { controlReplica } from '@mandate/control-log/replica';
import { doJob } from './do-job.ts';
import type { Answer, Call, Result } from './messages.ts';

// On Linux this sets the priority of this thread, elsewhere of the whole process. The event loop comes first.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const replica = controlReplica();
/** Jobs that wait for records that the replica does not hold yet. */
let early: Extract<Call, { call: 'do' }>[] = [];

function answer(message: Answer): void {
  parentPort?.postMessage(message);
}

async function take(call: Call): Promise<void> {
  try {
    if (call.call === 'do') return look(call);
    answer({ id: call.id, kind: 'done', result: await resultOf(call) });
  } catch (error) {
    answer({ id: call.id, kind: 'failed', message: String(error) });
  }
}

async function resultOf(call: Exclude<Call, { call: 'do' }>): Promise<Result> {
  switch (call.call) {
    case 'addLines':
      await replica.addLines(call.lines);
      return null;
    case 'restore':
      return replica.restore();
    case 'apply': {
      await replica.apply(call.changes);
      const waiting = early;
      early = [];
      // Each job gets its own answer, even if it fails.
      for (const job of waiting) void take(job);
      return null;
    }
  }
}

function look(call: Extract<Call, { call: 'do' }>): void {
  if (replica.revision() < call.revision) {
    early.push(call);
    return;
  }
  answer({ id: call.id, kind: 'begun' });
  answer({ id: call.id, kind: 'done', result: doJob(replica.tenant, call.job) });
}

parentPort?.on('message', take);
