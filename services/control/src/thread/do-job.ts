/** Does a job on the documents of one tenant. */

import type { TenantControl } from '@mandate/control';
import { lintAround, lintControl } from '@mandate/control/lint';
import { HttpProblem } from '@mandate/server';
import { answerPreview } from '../routes/answer-preview.ts';
import type { ControlJob, JobResult } from './control-jobs.ts';

/** Does the job and returns its answer, or its refusal as a value. Throws only if Mandate has a bug. */
export function doJob(current: (tenant: string) => TenantControl, job: ControlJob): JobResult {
  try {
    return { ok: true, text: JSON.stringify(answerOf(current(job.tenant), job)) };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { status, code, message, remedy, extension } = error;
    return { ok: false, refusal: { status, code, message, remedy, extension } };
  }
}

function answerOf(current: TenantControl, job: ControlJob): unknown {
  switch (job.kind) {
    case 'lint': {
      const { findings, skipped } = lintControl(current, job.atMs, job);
      return { findings, complete: skipped.length === 0, skipped };
    }
    case 'lint around':
      return lintAround(current, job.atMs, job.document, job.fileKeys);
    case 'preview':
      return answerPreview(current, job);
  }
}
