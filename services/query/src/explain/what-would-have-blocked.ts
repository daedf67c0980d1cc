/** Finds checks that an action passed narrowly. */
import { NEAR_MISS_AT } from '@mandate/audit';
import { type Decision, durationInWords, formatMicros } from '@mandate/schemas';
import type { Evidence } from './parse-evidence.ts';

const NEAR_EXPIRY_MS = 24 * 3_600_000;

/** Returns what would have blocked the action, as text. Null if the use was not close to the limit of this check. */
export function whatWouldHaveBlocked(evidence: Evidence, { decidedAt }: Decision): string | null {
  switch (evidence.by) {
    case 'mandate-alive': {
      const leftMs = Date.parse(evidence.expiresAt) - Date.parse(decidedAt);
      return leftMs <= NEAR_EXPIRY_MS ? `${evidence.expiresAt} or later, when the mandate has expired` : null;
    }
    case 'tool-cost-per-call':
    case 'mandate-cost-per-call': {
      const { costMicros, maxMicros } = evidence;
      return isNear(costMicros, maxMicros) ? `a call that costs more than ${formatMicros(maxMicros)}` : null;
    }
    case 'tool-rate':
    case 'mandate-rate': {
      const { calls, maxCalls, windowMs } = evidence;
      if (!isNear(calls + 1, maxCalls)) return null;
      const more = maxCalls - calls;
      return `${more} more ${more === 1 ? 'call' : 'calls'} in the ${durationInWords(windowMs)} before it`;
    }
    case 'budget': {
      const { scope, id, spentMicros, maxMicros, costMicros } = evidence;
      if (maxMicros === null || costMicros === undefined) return null;
      if (!isNear(spentMicros + costMicros, maxMicros)) return null;
      return `a call that costs more than ${formatMicros(maxMicros - spentMicros)}: all that the ${scope} budget "${id}" had left`;
    }
    case 'tokens': {
      const { scope, id, used, most, reserve } = evidence;
      if (!isNear(used + reserve, most)) return null;
      return `a call of more than ${most - used} tokens: all that the ${scope} limit "${id}" had left`;
    }
    case 'tool-calls': {
      const { scope, id, used, most, reserve } = evidence;
      if (!isNear(used + reserve, most)) return null;
      const more = most - used;
      return `answers that asked for ${more} more tool ${more === 1 ? 'call' : 'calls'} before it: all that the ${scope} limit "${id}" had left`;
    }
    case 'turn': {
      const { turnId, calls, maxCalls } = evidence;
      if (calls === undefined || maxCalls == null || !isNear(calls + 1, maxCalls)) return null;
      return `${maxCalls - calls} more such ${maxCalls - calls === 1 ? 'call' : 'calls'} in the turn "${turnId}" before it`;
    }
    default:
      return null;
  }
}

/**
 * True if the use was close to the limit. A use is never close to a limit of zero, because only actions that use
 * nothing pass this limit.
 */
function isNear(used: number, most: number): boolean {
  return most > 0 && used * 100 >= most * NEAR_MISS_AT;
}
