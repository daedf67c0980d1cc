/**
 * Follows a mandates file that people may edit at any time (see runtime's followDocument). A bad file at the start is
 * an error.
 */

import { type MandateOfFile, type MandatesInForce, mandatesOfFile } from '@mandate/policy';
import { type DocumentFault, describeFault, loadMandates } from '@mandate/policy/documents';
import {
  type FollowedDocument,
  followDocument,
  type Logger,
  MandateError,
  systemClock,
} from '@mandate/runtime';

/** The maximum number of mandates or warnings that one log line names. The line also contains their total number. */
const NAMED_IN_LOG = 20;

export type MandatesFile = FollowedDocument & {
  control(): MandatesInForce & { mandates: readonly MandateOfFile[]; inForceSinceMs: number };
};

type MandatesFileOptions = {
  path: string;
  log: Logger;
  /** Reads the bytes of the file. Default: the ordinary file read. */
  readBytes?: (path: string) => Uint8Array;
};

export function openMandatesFile({ path, log, readBytes }: MandatesFileOptions): MandatesFile {
  let view = viewOf([], 0);
  const file = followDocument({
    path,
    name: 'mandates',
    log,
    readBytes,
    parse: loadMandates,
    onGood({ mandates, warnings }, isFirst) {
      if (warnings.length > 0) {
        const told = warnings.slice(0, NAMED_IN_LOG).map((warning) => describeFault(path, warning));
        log.warn({ path, count: warnings.length, warnings: told }, 'the mandates have possible mistakes');
      }
      view = viewOf(mandates, view.revision + 1);
      if (isFirst) return;
      const named = mandates.slice(0, NAMED_IN_LOG).map(({ reference }) => reference.id);
      // This is a warning because the rights of agents have changed, and by default the plane logs only warnings and
      // errors.
      log.warn(
        { path, revision: view.revision, mandates: named, count: mandates.length },
        'the mandates file was edited and is in force',
      );
    },
    onBadStart(faults) {
      throw bad(path, faults);
    },
  });
  return { ...file, control: () => view };
}

function viewOf(mandates: readonly MandateOfFile[], revision: number) {
  return { ...mandatesOfFile(mandates, revision), mandates, inForceSinceMs: systemClock() };
}

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('MANDATES_INVALID', `the mandates are bad\n${lines.join('\n')}`, {
    remedy: 'Correct the file at these places. `mandate validate` checks it without starting anything.',
  });
}
