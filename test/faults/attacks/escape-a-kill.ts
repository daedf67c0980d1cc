/**
 * An operator kills an agent together with its descendants. Then an author tries to free a descendant: with other
 * parents, by retiring and registering it, and with its own keys. The attack needs two keys of one tenant: one may
 * operate; the other may author and publish for all agents.
 */
import { randomUUID } from 'node:crypto';
import { type Ask, askWith, expectTo, verdictOf } from './asked.ts';
import type { Attack } from './attack.ts';

type Chain = { lead: string; middle: string; bot: string; other: string };

/**
 * The ways to free an agent, tried one after the other. Each way starts from the state after the way before, so some
 * requests are refused.
 */
const WAYS: readonly ((author: Ask, chain: Chain) => Promise<unknown>)[] = [
  (author, { bot }) => author('PUT', `/v1/agents/${bot}`, { id: bot }),
  (author, { bot, other }) => author('PUT', `/v1/agents/${bot}`, { id: bot, parent: other }),
  (author, { bot }) =>
    author('PUT', `/v1/agents/${bot}`, { id: bot, groups: ['free'], labels: { free: 'yes' } }),
  (author, { bot }) => author('DELETE', `/v1/agents/${bot}`),
  (author, { bot, other }) => author('POST', '/v1/agents', { id: bot, parent: other }),
  (author, { middle }) => author('PUT', `/v1/agents/${middle}`, { id: middle }),
  (author, { bot, middle }) => author('PUT', `/v1/agents/${bot}`, { id: bot, parent: middle }),
  (author, { bot }) => author('PUT', `/v1/agents/${bot}`, { id: bot }),
  (author, { middle }) => author('DELETE', `/v1/agents/${middle}`),
  (author, { lead }) => author('DELETE', `/v1/agents/${lead}`),
  (author, { lead }) => author('POST', '/v1/agents', { id: lead }),
  (author, { lead, other }) => author('PUT', `/v1/agents/${lead}`, { id: lead, parent: other }),
  (author, { lead }) => author('POST', `/v1/agents/${lead}/revive`, { subtree: true }),
  (author, { bot }) => author('POST', `/v1/agents/${bot}/revive`, { subtree: true }),
];

/** Rejects if an action is allowed to an agent that was killed with its ancestor. */
export const escapeAKill: Attack = async ({ url, keys }, until) => {
  const [operator = '', both = ''] = keys;
  const operate = askWith(url, operator);
  const author = askWith(url, both);
  const act = async (ask: Ask, agentId: string) => {
    const action = { id: randomUUID(), agentId, type: 'tool_call', tool: 'look' };
    return verdictOf(await ask('POST', '/v1/actions?waitMs=20000', action));
  };

  const policy = { version: 1, id: 'all' };
  await expectTo(author('PUT', '/v1/policies/all', policy), 'write a policy');
  await expectTo(author('PUT', '/v1/rules/all', { version: 1, id: 'all', policy: 'all' }), 'write a rule');

  for (let round = 1; round === 1 || !until.aborted; round += 1) {
    const named = (role: string) => `${role}-${round}`;
    const chain = { lead: named('lead'), middle: named('middle'), bot: named('bot'), other: named('other') };
    const { lead, middle, bot, other } = chain;
    const register = (agent: object) => expectTo(author('POST', '/v1/agents', agent), 'register an agent');
    await register({ id: other });
    await register({ id: lead });
    await register({ id: middle, parent: lead });
    await register({ id: bot, parent: middle });
    const before = await act(author, bot);
    if (before !== 'ALLOW ALLOWED') throw new Error(`"${bot}" may not act before the kill either: ${before}`);
    const kill = operate('POST', `/v1/agents/${lead}/kill`, { subtree: true, reason: 'an attack' });
    await expectTo(kill, 'kill an agent with its descendants');

    let stopped = 0;
    for (const [at, way] of WAYS.entries()) {
      await way(author, chain);
      const { body } = await author('POST', `/v1/agents/${bot}/keys`);
      const own = askWith(url, (body as { key?: { key: string } }).key?.key ?? both);
      for (const verdict of [await act(author, bot), await act(own, bot)]) {
        if (verdict.startsWith('ALLOW')) throw new Error(`way ${at} freed the killed agent "${bot}"`);
        if (verdict === 'BLOCK AGENT_KILLED') stopped += 1;
      }
    }
    if (stopped === 0) throw new Error(`no request of "${bot}" was decided`);
    await expectTo(
      operate('POST', `/v1/agents/${lead}/revive`, { subtree: true }),
      'revive an agent with its descendants',
    );
    for (const id of [bot, middle, lead, other]) await author('DELETE', `/v1/agents/${id}`);
  }
};
