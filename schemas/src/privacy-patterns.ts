/** The kinds of personal data that can be found in texts. */
export const PRIVACY_PATTERNS = [
  'email',
  'phone',
  'credit_card',
  'iban',
  'ip_address',
  'us_ssn',
  'secret',
] as const;
export type PrivacyPattern = (typeof PRIVACY_PATTERNS)[number];
