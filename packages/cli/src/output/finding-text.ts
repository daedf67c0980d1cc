import type { LintFinding } from '@mandate/control/lint';
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
