import type { PrivacyDocument } from '@mandate/schemas';

/** True if keys of persons are needed. A document that seals nothing needs none. */
export function sealsAnything({ fields, patterns }: PrivacyDocument): boolean {
  return [...fields, ...patterns].some((rule) => rule.do === 'seal');
}
