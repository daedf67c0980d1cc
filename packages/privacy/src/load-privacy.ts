import { type DocumentFault, readDocuments } from '@mandate/policy';
import { type PrivacyDocument, privacyDocument } from '@mandate/schemas';

export type LoadedPrivacy =
  | { ok: true; privacy: PrivacyDocument }
  | { ok: false; faults: readonly DocumentFault[] };

/** What holds where nobody wrote a document: nothing but the names of secrets is hidden, and all is kept. */
export const NO_PRIVACY: PrivacyDocument = privacyDocument.parse({ version: 1 });

export function loadPrivacy(text: string): LoadedPrivacy {
  const found: PrivacyDocument[] = [];
  const faults = readDocuments(
    text,
    { schema: privacyDocument, what: 'privacy document' },
    (written, say) => {
      if (found.length > 0) say([], 'the file holds more than one document');
      found.push(written);
    },
  );
  const [privacy] = found;
  if (faults.length > 0 || privacy === undefined) return { ok: false, faults };
  return { ok: true, privacy };
}
