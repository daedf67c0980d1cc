import type { PrivacyDocument } from '@mandate/schemas';

/** True if the document seals anything. Then keys of persons are needed. */
export function sealsAnything({ fields, patterns }: PrivacyDocument): boolean {
  return [...fields, ...patterns].some((rule) => rule.do === 'seal');
}
