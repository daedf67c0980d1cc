/**
 * Sends actions that are all refused: of killed agents, and of agents with made-up names to which a policy forbids
 * everything. Each refusal is a record too. The attack needs two keys of one tenant: one may operate and author, and
 * one may publish.
 */
import { randomUUID } from 'node:crypto';
import { askOften } from './ask-often.ts';
import { askWith, expectTo } from './asked.ts';
import type { Attack } from './attack.ts';

const LIST = 100;
const KILLED = 10;

export const floodOfRefusals: Attack = async (target, until) => {
  const [operator = '', publisher = ''] = target.keys;
  const control = askWith(target.url, operator);
  const nothing = { version: 1, id: 'nothing', deniedTools: ['*'] };
  await expectTo(control('PUT', '/v1/policies/nothing', nothing), 'write a policy');
  const rule = { version: 1, id: 'nothing', policy: 'nothing', agents: ['made-up-*'] };
  await expectTo(control('PUT', '/v1/rules/nothing', rule), 'write a rule');
  for (let n = 0; n < KILLED; n += 1)
    await expectTo(control('POST', `/v1/agents/killed-${n}/kill`, { reason: 'an attack' }), 'kill an agent');

  const agentOf = (nth: number) => (nth % 2 === 0 ? `killed-${nth % KILLED}` : `made-up-${randomUUID()}`);
  await askOften(target, until, 8, () => ({
    method: 'POST',
    path: '/v1/actions',
    key: publisher,
    body: JSON.stringify(
      Array.from({ length: LIST }, (_, nth) => ({
        id: randomUUID(),
        agentId: agentOf(nth),
        type: 'tool_call',
        tool: 'look',
      })),
    ),
  }));
};
