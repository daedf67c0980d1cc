import type { ManifestFault } from '@mandate/manifest';
import { describeFault } from '@mandate/policy/documents';

/** Returns a fault in the form that people and editors read, with its code at the end. */
export function describeManifestFault(
  { file, code, ...fault }: ManifestFault,
  severity: '' | 'warning: ' = '',
): string {
  return `${describeFault(file, fault, severity)} (${code})`;
}
