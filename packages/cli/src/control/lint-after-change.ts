/** The findings of lint for a plane after a change: errors in full, warnings as a number. */
import type { ApiClient } from '@mandate/client';
import type { Linted } from '@mandate/control/lint';
import type { Output } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { findingText } from '../output/finding-text.ts';
import { counted } from '../output/for-people.ts';
import { warningsText } from '../output/warnings-text.ts';

/**
 * Returns the findings as text; empty if there are none. The changes are already made, so a failed request is only a
 * warning.
 */
export async function lintAfterChange(api: Pick<ApiClient, 'get'>, stream: Output): Promise<string> {
  let findings: Linted['findings'];
  try {
    ({ findings } = await api.get<Linted>('/v1/lint'));
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const line = `all changes are made, but the findings of lint are unknown: ${error.message}`;
    return warningsText([line], 'Ask with `mandate lint`.');
  }
  if (findings.length === 0) return '';
  const errors = findings.filter(({ severity }) => severity === 'error');
  const counts = `${counted(errors.length, 'error')}, ${counted(findings.length - errors.length, 'warning')}`;
  const told = errors.map((finding) => findingText(finding, stream)).join('');
  return (
    told +
    warningsText([`lint finds ${counts} in the documents of the plane`], '`mandate lint` lists all findings.')
  );
}
