/** The privacy document, from a file that people edit while everything runs. Without one nothing more is hidden. */

import { existsSync } from 'node:fs';
import { type DocumentFault, describeFault } from '@mandate/policy/documents';
import { type FollowedDocument, followDocument, type Logger, MandateError } from '@mandate/runtime';
import type { PrivacyDocument } from '@mandate/schemas';
import { type Hashing, loadPrivacy, NO_PRIVACY } from './load-privacy.ts';

export type PrivacyFile = Pick<FollowedDocument, 'readiness' | 'look' | 'stop'> & {
  privacy(): PrivacyDocument;
  /** How many months the audit keeps of a tenant's rows; null: all. */
  keepMonths(tenant: string): number | null;
  /** Calls it after each edit that came into force. */
  onEdit(listener: () => void): void;
};

/**
 * The one that is named must be there; without a name it is looked for in the folder.
 *
 * @param hashing of who hides as it says; absent where nothing is hidden
 */
export function openPrivacyFile(
  { PRIVACY_PATH: named }: { readonly PRIVACY_PATH?: string | undefined },
  { folder, log, hashing }: { folder: { privacy: string }; log: Logger; hashing?: Hashing },
): PrivacyFile {
  const path = named ?? folder.privacy;
  let privacy = NO_PRIVACY;
  const listeners: (() => void)[] = [];
  const { readiness, look, stop } = followDocument({
    path,
    name: 'privacy',
    log,
    parse: (bytes) => loadPrivacy(bytes, hashing),
    onGood(read, isFirst) {
      ({ privacy } = read);
      if (isFirst) return;
      log.warn({ path }, 'the privacy document was edited and is in force');
      for (const listener of listeners) listener();
    },
    onBadStart(faults) {
      if (named !== undefined || existsSync(path)) throw bad(path, faults);
    },
  });
  return {
    privacy: () => privacy,
    keepMonths: (tenant) => keepMonths(privacy, tenant),
    onEdit: (listener) => void listeners.push(listener),
    readiness,
    look,
    stop,
  };
}

function keepMonths({ retention }: PrivacyDocument, tenant: string): number | null {
  const named = Object.hasOwn(retention, tenant) ? tenant : '*';
  return retention[named]?.keepMonths ?? null;
}

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('PRIVACY_INVALID', `the privacy document is bad\n${lines.join('\n')}`, {
    remedy: 'Mend the file at these places: docs/privacy.md has every field.',
  });
}
