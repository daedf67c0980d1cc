import type { LintFinding } from '@mandate/control/lint';
import type { ManifestFault } from '@mandate/documents';
import type { Output } from '../command-context.ts';
import { printable } from './printable.ts';
import { paint } from './table.ts';

export function findingText(
  { code, severity, message, remedy }: Pick<LintFinding, 'code' | 'severity' | 'message' | 'remedy'>,
  stream: Output,
): string {
  const title = paint(severity === 'error' ? 'red' : 'yellow', `${severity} ${code}`, stream);
  return `${title}: ${printable(message)}\n  ${printable(remedy)}\n`;
}

export function manifestWarningText(
  { code, file, line, column, path, message }: ManifestFault,
  stream: Output,
): string {
  const place = `${file}:${line}:${column}${path === '' ? '' : ` ${path}`}`;
  return `${paint('yellow', `warning ${code}`, stream)}: ${printable(place)}\n  ${printable(message)}\n`;
}
