import type { Shadow } from '@mandate/schemas';
import { counted } from './for-people.ts';

/** Returns a sentence that says what shadow rules would have decided. */
export function shadowInWords({ verdict, code, unknownLimits, rules }: Shadow): string {
  const whose = `If ${rules.join(', ')} were in force`;
  if (code !== null) return `${whose}, the decision would be ${verdict} (${code}).`;
  const why =
    unknownLimits === 0
      ? 'a rule or a policy begins or ends at that time'
      : `the ledger was not asked for ${counted(unknownLimits, 'limit')} that only they set`;
  return `${whose}, the decision is not known, because ${why}.`;
}
