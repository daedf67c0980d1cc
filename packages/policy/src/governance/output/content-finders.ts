import type { PrivacyPattern } from '@mandate/schemas';
import type { FindPieces } from './output-filter.ts';

/**
 * What finds personal data and profane words in answers. The program that decides gives it to `plan`, because the
 * finders of personal data load far more code than everything else here (packages/privacy).
 */
export type ContentFinders = {
  personalData(types: readonly PrivacyPattern[]): FindPieces;
  /** Finds the profane words of the usual list, for a policy that has no list of its own. */
  profanity: FindPieces;
};
