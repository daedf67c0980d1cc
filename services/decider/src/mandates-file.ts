/**
 * The mandates, from a file that people edit while everything runs. A change is noticed by looking at the file's
 * stamp four times a second, which works on every file system and for every way an editor saves, and taken when two
 * looks in a row see the same: a file that is still being written may read like a whole one. A bad edit keeps the last
 * good mandates and says so; a bad file at the start is an error.
 */
import { readFileSync, statSync } from 'node:fs';
import { type DocumentFault, describeFault, loadMandates, type Mandate } from '@mandate/policy';
import { type Logger, MandateError, type ReadinessCheck } from '@mandate/runtime';
import type { ControlView } from './answer.ts';

const LOOK_EVERY_MS = 250;

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

type ReadText = (path: string) => string;

type MandatesFileOptions = {
  path: string;
  log: Logger;
  /** How its text is read; as any file when absent. */
  readText?: ReadText;
};

export function openMandatesFile({ path, log, readText = asAnyFile }: MandatesFileOptions): MandatesFile {
  let stamp = stampOf(path);
  let seen = stamp;
  let faults: readonly DocumentFault[] = [];
  let view: ControlView = { mandates: readOrThrow(path, readText), revision: 1 };

  const look = () => {
    const now = stampOf(path);
    const settled = now === seen;
    seen = now;
    if (now === stamp || !settled) return;
    const read = readMandates(path, readText);
    // Written to while it was read: the next looks see to it.
    seen = stampOf(path);
    if (seen !== now) return;
    stamp = now;
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
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    control: () => view,
    faults: () => faults,
    readiness: () => ({
      name: 'mandates',
      ok: true,
      ...(faults.length > 0 && { detail: 'the file is bad: the last good one is in force' }),
    }),
    look,
    stop: () => clearInterval(timer),
  };
}

const asAnyFile: ReadText = (path) => readFileSync(path, 'utf8');

function readOrThrow(path: string, readText: ReadText): readonly Mandate[] {
  const read = readMandates(path, readText);
  if (read.ok) return read.mandates;
  const lines = read.faults.map((fault) => describeFault(path, fault));
  throw new MandateError('MANDATES_INVALID', `the mandates are bad\n${lines.join('\n')}`, {
    remedy: 'Mend the file at these places; `mandate validate` checks it without starting anything.',
  });
}

function readMandates(path: string, readText: ReadText) {
  try {
    // Reading a pipe or a device may never end, and everything would wait for it.
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    return loadMandates(readText(path));
  } catch (error) {
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return { ok: false as const, faults: [{ line: 1, column: 1, path: '', message }] };
  }
}

/** Never throws: a file that may not be looked at is a file that changed, and reading it says why. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}/${size}/${mtimeMs}`;
  } catch (error) {
    return String(error);
  }
}
