/**
 * Sends bodies with as many faults as possible. Reporting the faults must cost the plane no more than parsing the
 * body. The attack needs one key that may publish.
 */

import { askOften } from './ask-often.ts';
import type { Attack } from './attack.ts';

const ROUTES = ['/v1/actions', '/v1/outcomes'];

/** The bodies, each smaller than the limit of 1 MiB. */
const BODIES: readonly string[] = [
  `${'\n'.repeat(200_000)}[${'1,'.repeat(39_999)}1]`,
  `${'\n'.repeat(900_000)}[1,1,1]`,
  `[${Array(500)
    .fill(`{"a":[${'1,'.repeat(800)}1]}`)
    .join()}]`,
  `[${'1,'.repeat(499)}1]`,
  `[${'{},'.repeat(300_000)}{}]`,
  '['.repeat(1_000_000),
  `{"a":"${'\\u0041'.repeat(150_000)}"`,
  `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join()}}`,
];

export const wrongBodies: Attack = (target, until) =>
  askOften(target, until, 16, (nth) => ({
    method: 'POST',
    path: ROUTES[nth % ROUTES.length] ?? '',
    key: target.keys[0] ?? '',
    body: BODIES[nth % BODIES.length] ?? '',
  }));
