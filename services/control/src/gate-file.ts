/**
 * The gate of agent manifests as a file (`gate.yaml`) that people edit while Mandate runs. After a bad edit, or if the
 * file is removed, the last good gate stays in force, and readiness says so. At the start, a bad file is an error.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadGate } from '@mandate/agent-manifest';
import { type DocumentFault, describeFault } from '@mandate/policy/documents';
import { type FollowedDocument, followDocument, type Logger, MandateError } from '@mandate/runtime';
import type { GateDocument } from '@mandate/schemas/agent-manifest';

export type GateFile = Pick<FollowedDocument, 'readiness' | 'look' | 'stop'> & {
  /** Null: there is no gate, so every valid manifest may be published. */
  gate(): GateDocument | null;
};

export const GATE_FILE = 'gate.yaml';

/** The path of the gate beside agents, policies and rules. Null if these are one file, or if there is no folder. */
export function gateIn(policies: string | undefined): string | null {
  const isFolder = policies !== undefined && statSync(policies, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? join(policies, GATE_FILE) : null;
}

/**
 * @param options.path null: there is no gate
 * @param options.isNamed whether a setting names the file. Such a file must exist
 */
export function openGateFile({
  path,
  isNamed,
  log,
}: {
  path: string | null;
  isNamed: boolean;
  log: Logger;
}): GateFile {
  if (path === null) return NO_GATE;
  let gate: GateDocument | null = null;
  const { readiness, look, stop } = followDocument({
    path,
    mayBeMissing: !isNamed,
    name: 'gate',
    log,
    parse: loadGate,
    onGood(read, isFirst) {
      ({ gate } = read);
      if (!isFirst) log.warn({ path }, 'the gate of agent manifests was edited and is in force');
    },
    onBadStart(faults) {
      throw bad(path, faults);
    },
  });
  return { gate: () => gate, readiness, look, stop };
}

const NO_GATE: GateFile = {
  gate: () => null,
  readiness: () => ({ name: 'gate', ok: true }),
  look() {},
  stop() {},
};

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('DOCUMENTS_INVALID', `the gate of agent manifests is bad\n${lines.join('\n')}`, {
    remedy: 'Correct the file at these places.',
  });
}
