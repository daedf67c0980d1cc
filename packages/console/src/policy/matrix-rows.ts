/** The answer of the policy engine to each tool of each agent, now and with a draft. */
import { previewMandate, type TenantControl } from '@mandate/control';
import { decideUnspent } from '@mandate/policy';
import { type ContentFinders, profanityFinder } from '@mandate/policy/governance';
import type { AgentDocument, PolicyDocument } from '@mandate/schemas';
import { controlOf } from './control-of.ts';
import type { Asked, Cell, MatrixRow } from './messages.ts';

/** In a preview of a call there is no answer of an agent, so nothing is searched in it. */
const FINDERS: ContentFinders = { personalData: () => () => [], profanity: profanityFinder([]) };

/** The checks that a call with other fields could pass. The calls of the table have only an agent and a tool. */
const DEPENDS_ON: Readonly<Record<string, string>> = {
  'arguments-valid': 'the arguments',
  'role-known': 'the role of the person',
  'role-allowed': 'the role of the person',
  'estimate-stated': 'the estimated cost',
  turn: 'the turn',
};

export function matrixRows(
  { agents, tools, draft, inForce }: Extract<Asked, { kind: 'matrix' }>,
  atMs: number,
): readonly MatrixRow[] {
  const control = controlOf(inForce);
  return agents.map((agentId) => {
    const agent: AgentDocument = control.agents.get(agentId)?.document ?? {
      id: agentId,
      groups: [],
      labels: {},
    };
    return {
      agent: agentId,
      cells: tools.map((tool) => ({
        now: cell(control, agent, tool, [], atMs),
        draft: draft === null ? null : cell(control, agent, tool, [draft], atMs),
      })),
    };
  });
}

function cell(
  control: TenantControl,
  agent: AgentDocument,
  tool: string,
  policies: readonly PolicyDocument[],
  atMs: number,
): Cell {
  const action = { id: 'what-if', agentId: agent.id, type: 'tool_call' as const, tool, args: {} };
  const { plan } = previewMandate(control, { agent, action, atMs, rules: [], policies }, FINDERS);
  const { verdict, reason, checks } = decideUnspent(plan, atMs);
  const blocking = verdict === 'BLOCK' ? checks.filter(({ result }) => result === 'block') : [];
  const missing = blocking.flatMap(({ check }) => DEPENDS_ON[check] ?? []);
  if (missing.length === 0 || missing.length < blocking.length) return { verdict, reason, dependsOn: [] };
  const limits = plan.limits.filter(({ kind }) => kind !== 'turn');
  const otherwise = decideUnspent({ ...plan, refusal: null, limits }, atMs);
  return { verdict: otherwise.verdict, reason, dependsOn: [...new Set(missing)] };
}
