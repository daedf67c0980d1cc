/** Writes policies and agents of maximum size again and again. The attack needs one key that may author. */

import { askOften } from './ask-often.ts';
import type { Attack } from './attack.ts';

const POLICIES = 4;

export const largeWrites: Attack = (target, until) =>
  askOften(target, until, 4, (nth) => {
    const id = `large-${nth % POLICIES}`;
    const policy = {
      version: 1,
      id,
      allowedTools: Array.from({ length: 900 }, (_, n) => `tool_${n}_*_x_*_${nth}`),
      deniedTools: Array.from({ length: 900 }, (_, n) => `tool_${n}_*_y_*_${nth}`),
    };
    return {
      method: 'PUT',
      path: `/v1/policies/${id}`,
      key: target.keys[0] ?? '',
      body: JSON.stringify(policy),
    };
  });
