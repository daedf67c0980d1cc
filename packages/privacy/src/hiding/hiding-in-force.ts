import { randomUUID } from 'node:crypto';
import type { Action, PrivacyDocument } from '@mandate/schemas';
import type { Sealer } from '../sealer.ts';
import { compileHiding, type Hiding, type HidingMeans } from './compile-hiding.ts';
import { compileTextRedaction } from './compile-text-redaction.ts';

/** Says what holds when it is asked. */
type DocumentInForce = { privacy(): PrivacyDocument };

/** @param redact the names of secrets, which are hidden whatever the document says */
export type HidingInForce = HidingMeans & { redact(action: Action): Action };

/** Hides as the document says that holds when it is asked. */
export function hidingInForce(file: DocumentInForce, { redact, ...means }: HidingInForce): Hiding {
  const hide = inForce(file, (document) => compileHiding(document, means));
  return (action, tenant) => hide(redact(action), tenant);
}

/**
 * Seals as that document says, and hides nothing else: the rest tells actions apart, and says nothing about a person who
 * was forgotten. A value that belongs to no person is left too. Two values of a forgotten person never become equal: if
 * they were equal, an approval of one text would hold for every other.
 */
export function sealingInForce(file: DocumentInForce, sealer: Sealer): Hiding {
  const unlike: Sealer = { ...sealer, seal: (...given) => sealer.seal(...given) ?? `erased ${randomUUID()}` };
  return inForce(file, (document) => {
    const fields = document.fields.filter((rule) => rule.do === 'seal');
    const patterns = document.patterns.filter((rule) => rule.do === 'seal');
    return compileHiding({ ...document, fields, patterns }, { sealer: unlike, leavesUnowned: true });
  });
}

/** Redacts texts of operators, as the document says that holds when it is asked. */
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
