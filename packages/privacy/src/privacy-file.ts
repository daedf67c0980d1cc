/**
 * Reads the privacy document from a file that people edit while Mandate runs. Without a document only names of
 * secrets are redacted.
 */

import { type DocumentFault, describeFault } from '@mandate/policy/documents';
import { type FollowedDocument, followDocument, type Logger, MandateError } from '@mandate/runtime';
import { DEFAULTS, type PrivacyDocument } from '@mandate/schemas';
import { type Hashing, loadPrivacy, NO_PRIVACY } from './load-privacy.ts';

export type PrivacyFile = Pick<FollowedDocument, 'readiness' | 'look' | 'stop'> & {
  privacy(): PrivacyDocument;
  /** Returns how many months the audit keeps the rows of a tenant. Null if it keeps all rows. */
  keepMonths(tenant: string): number | null;
  /** Returns how many days the audit keeps the records of the context builder of a tenant. */
  keepContextDays(tenant: string): number;
  /** Calls the listener after each edit that took effect. */
  onEdit(listener: () => void): void;
};

/**
 * If a setting names the file, it must exist. Otherwise the file is searched in the folder.
 *
 * @param hashing the hash key of this process; absent if the process redacts nothing
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
    mayBeMissing: named === undefined,
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
      throw bad(path, faults);
    },
  });
  return {
    privacy: () => privacy,
    keepMonths: (tenant) => keepMonths(privacy, tenant),
    keepContextDays: (tenant) => keepContextDays(privacy, tenant),
    onEdit: (listener) => void listeners.push(listener),
    readiness,
    look,
    stop,
  };
}

function keepMonths({ retention }: PrivacyDocument, tenant: string): number | null {
  return ofTenant(retention, tenant)?.keepMonths ?? null;
}

function keepContextDays({ contextRetention }: PrivacyDocument, tenant: string): number {
  return ofTenant(contextRetention, tenant)?.keepDays ?? DEFAULTS.contextDays;
}

/** Returns the entry of the tenant, or the entry for all other tenants. */
function ofTenant<Entry>(entries: Readonly<Record<string, Entry>>, tenant: string): Entry | undefined {
  return entries[Object.hasOwn(entries, tenant) ? tenant : '*'];
}

function bad(path: string, faults: readonly DocumentFault[]): MandateError {
  const lines = faults.map((fault) => describeFault(path, fault));
  return new MandateError('PRIVACY_INVALID', `the privacy document is bad\n${lines.join('\n')}`, {
    remedy: 'Correct the file at these places. docs/privacy.md has every field.',
  });
}
