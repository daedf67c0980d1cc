/**
 * An operator raises alerts that no webhook accepts, and replays all of them again and again. The attack needs one
 * key that may operate.
 */
import { askOften } from './ask-often.ts';
import { askWith, expectTo } from './asked.ts';
import type { Attack } from './attack.ts';

/** The tenant of the key. Its webhook accepts nothing, so each alert can be replayed. */
export const ALERTED = 'alerted';

const PATHS = ['/v1/alerts/test', '/v1/alerts/replay'];

export const replayAlerts: Attack = async (target, until) => {
  const [key = ''] = target.keys;
  await expectTo(askWith(target.url, key)('POST', '/v1/alerts/test'), 'raise an alert');
  await askOften(target, until, 8, (nth) => ({
    method: 'POST',
    path: PATHS[nth % PATHS.length] ?? '',
    key,
  }));
};
