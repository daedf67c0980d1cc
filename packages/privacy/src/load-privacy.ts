import { type DocumentFault, readDocuments } from '@mandate/policy';
import { type PrivacyDocument, privacyDocument } from '@mandate/schemas';
import { isSupportedCountry } from 'libphonenumber-js/max';

export type LoadedPrivacy =
  | { ok: true; privacy: PrivacyDocument }
  | { ok: false; faults: readonly DocumentFault[] };

/** What holds where nobody wrote a document: nothing but the names of secrets is hidden, and all is kept. */
export const NO_PRIVACY: PrivacyDocument = privacyDocument.parse({ version: 1 });

/** With which key is hashed, and the setting that it is of. */
export type Hashing = { readonly key: string | undefined; readonly setting: string };

/** @param hashing where it is to be carried out: without its key, a rule that hashes is a fault there */
export function loadPrivacy(text: string, hashing?: Hashing): LoadedPrivacy {
  const found: PrivacyDocument[] = [];
  const faults = readDocuments(
    text,
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
          if (rule.do === 'hash') say([part, index, 'do'], `hash needs a key: set ${hashing.setting}`);
        }
      }
    },
  );
  const [privacy] = found;
  if (faults.length > 0 || privacy === undefined) return { ok: false, faults };
  return { ok: true, privacy };
}
