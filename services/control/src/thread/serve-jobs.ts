/**
 * The control thread: has a replica of the control documents, and does slow jobs one after the other. The main thread
 * sends it the records of the log, and may end it at any moment. The control thread does not decide actions.
 */
import { parentPort } from 'node:worker_threads';
import { controlReplica } from '@mandate/control-log/replica';
import { lowerPriority } from '@mandate/runtime';
import { doJob } from './do-job.ts';
import type { Answer, Call, Result } from './messages.ts';

lowerPriority();

const replica = controlReplica();
/** Jobs that wait for records which the replica has not received yet. */
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
      // Each job gets its own answer, so a job that fails does not affect the others.
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
  answer({ id: call.id, kind: 'done', result: doJob(replica, call.job) });
}

parentPort?.on('message', take);
