/** Does a job on the documents of one tenant. */

import { lintAround, lintControl } from '@mandate/control/lint';
import type { ControlReplica } from '@mandate/control-log/replica';
import { HttpProblem } from '@mandate/server';
import { compareVersions } from '../manifests/compare-versions.ts';
import { preparePublication, prepareRollback } from '../manifests/prepare-publication.ts';
import { answerPreview } from '../routes/answer-preview.ts';
import { tryChange } from '../writes/try-change.ts';
import type { ControlJob, JobResult } from './control-jobs.ts';

type Replica = Pick<ControlReplica, 'tenant' | 'refusalOf' | 'tried'>;

/** Does the job and returns its answer, or its refusal as a value. Throws only if Mandate has a bug. */
export function doJob(replica: Replica, job: ControlJob): JobResult {
  try {
    return { ok: true, ...resultOf(replica, job) };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { status, code, message, remedy, extension } = error;
    return { ok: false, refusal: { status, code, message, remedy, extension } };
  }
}

function resultOf(replica: Replica, job: ControlJob): Omit<Extract<JobResult, { ok: true }>, 'ok'> {
  switch (job.kind) {
    case 'publish manifest':
    case 'roll back manifest': {
      const { prepared, written } =
        job.kind === 'publish manifest' ? preparePublication(replica, job) : prepareRollback(replica, job);
      return { text: JSON.stringify(prepared), written };
    }
    default:
      return { text: JSON.stringify(answerOf(replica, job)) };
  }
}

type Answered = Exclude<ControlJob, { kind: 'publish manifest' | 'roll back manifest' }>;

function answerOf(replica: Replica, job: Answered): unknown {
  const current = replica.tenant(job.tenant);
  switch (job.kind) {
    case 'lint': {
      const { findings, skipped } = lintControl(current, job.atMs, job);
      return { findings, complete: skipped.length === 0, skipped };
    }
    case 'lint around':
      return lintAround(current, job.atMs, job.document, job.fileKeys);
    case 'try change':
      return tryChange(replica, job);
    case 'preview':
      return answerPreview(current, job);
    case 'compare manifests':
      return compareVersions(job);
  }
}
