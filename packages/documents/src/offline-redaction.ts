/**
 * Reads the redaction rules that a plane would use before it decides, from the settings of this environment and a
 * privacy document.
 */

import { describeFault } from '@mandate/policy/documents';
import { checkPrivacy, NO_PRIVACY, type RedactionRules } from '@mandate/privacy';
import { MandateError, readNamedFile } from '@mandate/runtime';
import { loadConfig } from '@mandate/runtime/settings';
import type { PrivacyDocument } from '@mandate/schemas';
import { z } from 'zod';

/** The settings that a plane and the offline commands have in common. */
const settings = z.object({
  PLANE_REDACT_FIELDS: z.array(z.string().min(1)).optional(),
  PLANE_HASH_FIELDS: z.array(z.string().min(1)).default([]),
  PRIVACY_PATH: z.string().min(1).optional(),
});

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param path the path of a privacy document; if absent, MANDATE_PRIVACY_PATH names the document, or there is none
 */
export function offlineRedaction(env: Environment, path?: string): RedactionRules {
  const shared = Object.keys(settings.shape).map((key) => [`MANDATE_${key}`, env[`MANDATE_${key}`]]);
  const { PLANE_REDACT_FIELDS, PLANE_HASH_FIELDS, PRIVACY_PATH } = loadConfig(
    settings,
    Object.fromEntries(shared.filter(([, value]) => value !== undefined)),
  );
  const document = path ?? PRIVACY_PATH;
  return {
    redact: PLANE_REDACT_FIELDS,
    hash: PLANE_HASH_FIELDS,
    document: document === undefined ? NO_PRIVACY : privacyIn(document, env),
  };
}

function privacyIn(path: string, env: Environment): PrivacyDocument {
  const read = checkPrivacy(readNamedFile(path), env);
  if (read.ok) return read.privacy;
  const faults = read.faults.map((fault) => describeFault(path, fault));
  throw new MandateError('PRIVACY_INVALID', `the privacy document is bad\n${faults.join('\n')}`, {
    remedy: 'Correct the file at these places; `mandate validate` checks it again.',
  });
}
