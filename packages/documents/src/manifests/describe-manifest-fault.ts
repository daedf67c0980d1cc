import { type DocumentFault, describeFault } from '@mandate/policy/documents';

/** A fault of a manifest or of an agent manifest. */
export type PlacedFault = DocumentFault & { code: string; file: string };

/** Returns a fault in the form that people and editors read, with its code at the end. */
export function describeManifestFault(
  { file, code, ...fault }: PlacedFault,
  severity: '' | 'warning: ' = '',
): string {
  return `${describeFault(file, fault, severity)} (${code})`;
}
