import type { PrivacyDocument } from '@mandate/schemas';

/** Whether keys of persons are needed: a document that seals nothing needs none. */
export function sealsAnything({ fields, patterns }: PrivacyDocument): boolean {
  return [...fields, ...patterns].some((rule) => rule.do === 'seal');
}
