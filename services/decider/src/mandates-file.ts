/**
 * The mandates, from a file that people edit while everything runs (see runtime's watchFile). A bad edit keeps the last
 * good mandates and says so; a bad file at the start is an error.
 */
import { type DocumentFault, describeFault, loadMandates } from '@mandate/policy';
import { type Logger, MandateError, type ReadinessCheck, watchFile } from '@mandate/runtime';
import type { ControlView } from './answer.ts';

/** The line that says what came into force names so many mandates, and counts them all. */
const NAMED_IN_LOG = 20;

export type MandatesFile = {
  control(): ControlView;
  /** What is wrong with the file as it stands now; empty when it is in force. */
  faults(): readonly DocumentFault[];
  /** A bad edit does not stop who decides, who goes on with the last good file; but it must be seen. */
  readiness(): ReadinessCheck;
  /** Looks at once, instead of at the next tick. The second look that sees the same change takes it. */
  look(): void;
  stop(): void;
};

type MandatesFileOptions = {
  path: string;
  log: Logger;
  /** How its text is read; as any file when absent. */
  readText?: (path: string) => string;
};

export function openMandatesFile({ path, log, readText }: MandatesFileOptions): MandatesFile {
  let faults: readonly DocumentFault[] = [];
  let view: ControlView;
  const { first, look, stop } = watchFile({
    path,
    readText,
    parse: loadMandates,
    unreadable: (message) => ({ ok: false as const, faults: [{ line: 1, column: 1, path: '', message }] }),
    onChange(read) {
      if (read.ok) {
        faults = [];
        view = { mandates: read.mandates, revision: view.revision + 1 };
        const named = read.mandates.slice(0, NAMED_IN_LOG).map(({ reference }) => reference.id);
        // A warning, as a pulled kill switch is: what agents may do has changed, and the plane is silent about lesser things.
        log.warn(
          { path, revision: view.revision, mandates: named, count: read.mandates.length },
          'the mandates file was edited and is in force',
        );
      } else {
        faults = read.faults;
        log.error(
          { path, faults, revision: view.revision },
          'the mandates file is bad: the last good one stays in force',
        );
      }
    },
  });
  if (!first.ok) {
    stop();
    throw bad(path, first.faults);
  }
  view = { mandates: first.mandates, revision: 1 };
  return {
    control: () => view,
    faults: () => faults,
    readiness: () => ({
      name: 'mandates',
      ok: true,
      ...(faults.length > 0 && { detail: 'the file is bad: the last good one is in force' }),
    }),
    look,
    stop,
  };
}

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('MANDATES_INVALID', `the mandates are bad\n${lines.join('\n')}`, {
    remedy: 'Mend the file at these places; `mandate validate` checks it without starting anything.',
  });
}
