import { type DocumentFault, type DocumentSource, readDocuments } from '@mandate/policy/documents';
import { type PrivacyDocument, privacyDocument } from '@mandate/schemas';
import { isSupportedCountry } from 'libphonenumber-js/max';

export type LoadedPrivacy =
  | { ok: true; privacy: PrivacyDocument }
  | { ok: false; faults: readonly DocumentFault[] };

/** The settings if there is no document: only the names of secrets are redacted, and all data is kept. */
export const NO_PRIVACY: PrivacyDocument = privacyDocument.parse({ version: 1 });

/** The key for hashes, and the name of the setting that contains it. */
export type Hashing = { readonly key: string | undefined; readonly setting: string };

/**
 * Checks a document without the settings of a running plane. If a rule hashes and this environment has no key, a note
 * is returned. A missing key is not a fault of the file.
 */
export function checkPrivacy(
  source: DocumentSource,
  env: Readonly<Record<string, string | undefined>>,
): LoadedPrivacy & { notes: readonly string[] } {
  const setting = HASH_KEYS.find((name) => env[name]) ?? HASH_KEYS[0];
  const notes: string[] = [];
  return { ...loadPrivacy(source, { key: env[setting], setting }, notes), notes };
}

/** The settings for the hash key: of a plane in one process, and of the two services that hash. */
const HASH_KEYS = ['MANDATE_PLANE_HASH_KEY', 'MANDATE_GATEWAY_HASH_KEY', 'MANDATE_DECIDER_HASH_KEY'] as const;

/**
 * @param hashing the key of the process that redacts; without a key, a rule that hashes is a fault
 * @param notes if given, such a rule is no fault, and a note about it is added here
 */
export function loadPrivacy(source: DocumentSource, hashing?: Hashing, notes?: string[]): LoadedPrivacy {
  const found: PrivacyDocument[] = [];
  const faults = readDocuments(
    source,
    { schema: privacyDocument, what: 'privacy document' },
    (written, say) => {
      if (found.length > 0) say([], 'the file holds more than one document');
      found.push(written);
      for (const [index, { countries = [] }] of written.patterns.entries()) {
        for (const [place, country] of countries.entries()) {
          if (isSupportedCountry(country)) continue;
          say(
            ['patterns', index, 'countries', place],
            `no numbering plan of ${country} is known: name it as DE`,
          );
        }
      }
      if (hashing === undefined || hashing.key) return;
      for (const part of ['fields', 'patterns'] as const) {
        for (const [index, rule] of written[part].entries()) {
          if (rule.do !== 'hash') continue;
          const missing = `hash needs a key: set ${hashing.setting}`;
          if (notes === undefined) say([part, index, 'do'], missing);
          else notes.push(`${part}.${index}.do: ${missing}, or the plane refuses the document`);
        }
      }
    },
  );
  const [privacy] = found;
  if (faults.length > 0 || privacy === undefined) return { ok: false, faults };
  return { ok: true, privacy };
}
