import { randomUUID } from 'node:crypto';
import type { Action, PrivacyDocument } from '@mandate/schemas';
import type { Sealer } from '../sealer.ts';
import { compileRedactor, type Redactor, type RedactorOptions } from './compile-redactor.ts';
import { compileTextRedaction } from './compile-text-redaction.ts';

/** Access to the privacy document. `privacy` returns the document that is current at the time of the call. */
type DocumentInForce = { privacy(): PrivacyDocument };

/** @param redact redacts the names of secrets and what policies hide, whatever the document says */
export type CurrentRedactorOptions = RedactorOptions & {
  redact(action: Action, tenant: string): Action;
};

/** Returns a redactor that always uses the current document. */
export function currentRedactor(
  file: DocumentInForce,
  { redact, ...means }: CurrentRedactorOptions,
): Redactor {
  const redactByDocument = inForce(file, (document) => compileRedactor(document, means));
  return (action, tenant) => redactByDocument(redact(action, tenant), tenant);
}

/**
 * Seals by the current document, and redacts nothing else. The other values stay, because they distinguish actions
 * and reveal nothing about an erased person. A value without a person stays too. Two different values of an erased
 * person never become equal. Otherwise an approval of one text would be valid for every other text.
 */
export function sealOnlyRedactor(file: DocumentInForce, sealer: Sealer): Redactor {
  const unlike: Sealer = { ...sealer, seal: (...given) => sealer.seal(...given) ?? `erased ${randomUUID()}` };
  return inForce(file, (document) => {
    const fields = document.fields.filter((rule) => rule.do === 'seal');
    const patterns = document.patterns.filter((rule) => rule.do === 'seal');
    return compileRedactor({ ...document, fields, patterns }, { sealer: unlike, leavesUnowned: true });
  });
}

/** Returns a function that redacts texts of operators by the current document. */
export function currentTextRedactor(file: DocumentInForce): (text: string) => string {
  return inForce(file, compileTextRedaction);
}

function inForce<Given extends unknown[], Redacted>(
  file: DocumentInForce,
  compile: (document: PrivacyDocument) => (...given: Given) => Redacted,
): (...given: Given) => Redacted {
  let document = file.privacy();
  let redact = compile(document);
  return (...given) => {
    if (file.privacy() !== document) {
      document = file.privacy();
      redact = compile(document);
    }
    return redact(...given);
  };
}
