import { randomUUID } from 'node:crypto';
import type { Action, PrivacyDocument } from '@mandate/schemas';
import type { Sealer } from '../sealer.ts';
import { compileHiding, type Hiding, type HidingMeans } from './compile-hiding.ts';
import { compileTextRedaction } from './compile-text-redaction.ts';

/** Returns the privacy document that is current at the time of the call. */
type DocumentInForce = { privacy(): PrivacyDocument };

/** @param redact redacts the names of secrets, whatever the document says */
export type HidingInForce = HidingMeans & { redact(action: Action): Action };

/** Redacts by the current document. */
export function hidingInForce(file: DocumentInForce, { redact, ...means }: HidingInForce): Hiding {
  const hide = inForce(file, (document) => compileHiding(document, means));
  return (action, tenant) => hide(redact(action), tenant);
}

/**
 * Seals by the current document, and redacts nothing else. The other values are needed to tell actions apart, and say
 * nothing about an erased person. A value without a person is left too. Two values of an erased person never become
 * equal. If they were equal, an approval of one text would hold for every other.
 */
export function sealingInForce(file: DocumentInForce, sealer: Sealer): Hiding {
  const unlike: Sealer = { ...sealer, seal: (...given) => sealer.seal(...given) ?? `erased ${randomUUID()}` };
  return inForce(file, (document) => {
    const fields = document.fields.filter((rule) => rule.do === 'seal');
    const patterns = document.patterns.filter((rule) => rule.do === 'seal');
    return compileHiding({ ...document, fields, patterns }, { sealer: unlike, leavesUnowned: true });
  });
}

/** Redacts texts of operators by the current document. */
export function redactingInForce(file: DocumentInForce): (text: string) => string {
  return inForce(file, compileTextRedaction);
}

function inForce<Given extends unknown[], Hidden>(
  file: DocumentInForce,
  compile: (document: PrivacyDocument) => (...given: Given) => Hidden,
): (...given: Given) => Hidden {
  let document = file.privacy();
  let hide = compile(document);
  return (...given) => {
    if (file.privacy() !== document) {
      document = file.privacy();
      hide = compile(document);
    }
    return hide(...given);
  };
}
