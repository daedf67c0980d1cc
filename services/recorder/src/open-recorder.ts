import type { AuditClient } from '@mandate/audit';
import type { Bus } from '@mandate/bus';
import type { PrivacyFile } from '@mandate/privacy';
import type { ProcessParts } from '@mandate/server';
import type { z } from 'zod';
import { type Recorder, startRecorder } from './app.ts';
import type { recorderSettings } from './config.ts';

type Settings = Pick<
  z.output<typeof recorderSettings>,
  'RECORDER_BATCH_RECORDS' | 'RECORDER_GATHER_MS' | 'RECORDER_SESSION_TIMEOUT_MS'
> & { RECORDER_RETENTION_MS?: number | undefined };

/** Opens the recorder in a process that has already opened the log and the tables of the audit. */
export async function openRecorder(
  config: Readonly<Settings>,
  parts: ProcessParts & {
    bus: Bus;
    audit: AuditClient;
    privacy: Pick<PrivacyFile, 'keepMonths' | 'keepContextDays'>;
  },
): Promise<Recorder> {
  const { bus, audit, privacy, log, metrics, tracer, running } = parts;
  const starting = startRecorder({
    bus,
    audit,
    log,
    metrics,
    tracer,
    maxBatch: config.RECORDER_BATCH_RECORDS,
    gatherMs: config.RECORDER_GATHER_MS,
    sessionTimeoutMs: config.RECORDER_SESSION_TIMEOUT_MS,
    retentionMs: config.RECORDER_RETENTION_MS,
    keepMonths: privacy.keepMonths,
    keepContextDays: privacy.keepContextDays,
  });
  return running(await starting);
}
