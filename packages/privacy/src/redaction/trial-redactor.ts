/**
 * Redacts an action as a plane would before it decides. Used offline and in previews, which publish nothing. The
 * results have the form of a plane's results. The keys are made for each trial, so hashes can be compared only within
 * one trial.
 */
import { randomBytes } from 'node:crypto';
import { compileActionRedaction } from '@mandate/policy';
import type { PrivacyDocument } from '@mandate/schemas';
import { passingSealer } from '../person-keys/passing-sealer.ts';
import { compileRedactor, type Redactor } from './compile-redactor.ts';

/** The rules are plain values, because they are sent between threads. */
export type RedactionRules = {
  /** Names of fields to redact. If absent, the usual names of secrets. */
  readonly redact?: readonly string[] | undefined;
  /** Names of fields to hash. */
  readonly hash: readonly string[];
  readonly document: PrivacyDocument;
};

export function trialRedactor({ redact, hash, document }: RedactionRules): Redactor {
  const hashKey = randomBytes(32).toString('hex');
  const redactNames = compileActionRedaction({ redact, hash, hashKey });
  const redactByDocument = compileRedactor(document, { hashKey, sealer: passingSealer() });
  return (action, tenant) => redactByDocument(redactNames(action), tenant);
}
