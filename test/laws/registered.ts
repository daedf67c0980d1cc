/** Registers agents, policies and rules in every tenant, as if they were on its control topic. */
import {
  type ControlFold,
  foldControl,
  type MandatesUnderControl,
  mandatesUnderControl,
} from '@mandate/control';
import { controlRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { arbitraryMandate, patterns } from './arbitrary-requests.ts';

export type Register = {
  agents: readonly object[];
  policies: readonly object[];
  rules: readonly object[];
  /** The tenant limits. Absent if the tenant has no limits. */
  tenantLimits?: object;
  /** The time when the tenant was closed. Absent if the tenant is open. */
  closedAt?: string;
};

const AT = '2026-03-01T12:00:00.000Z';

export function registered(register: Register): MandatesUnderControl {
  const { fold, revision } = foldOf(register);
  return mandatesUnderControl(fold, () => revision);
}

export function foldOf({ agents, policies, rules, tenantLimits, closedAt }: Register): {
  fold: ControlFold;
  revision: number;
} {
  const fold = foldControl();
  const bodies = [
    ...agents.map((agent) => ({ event: 'agent.put', agent })),
    ...policies.map((policy) => ({ event: 'policy.published', policy: { version: 1, ...policy } })),
    ...rules.map((rule) => ({ event: 'rule.put', rule: { version: 1, ...rule } })),
  ];
  let revision = 0;
  for (const tenant of ['default', 'acme']) {
    const opened = {
      event: 'tenant.put',
      tenant: { version: 1, id: tenant, ...(tenantLimits && { limits: tenantLimits }) },
    };
    const ofTenant = [
      ...(tenantLimits || closedAt ? [opened] : []),
      ...(closedAt ? [{ event: 'tenant.closed' }] : []),
    ];
    for (const body of [...bodies, ...ofTenant]) {
      revision += 1;
      const change = { id: `chg-${revision}`, tenant, by: 'ann', reason: '', at: closedAt ?? AT };
      const changed = fold.apply(controlRecord.parse({ ...body, change }), revision);
      if (!changed.ok) throw new Error(`${JSON.stringify(body)}: ${changed.refusal}`);
    }
  }
  return { fold, revision };
}

/**
 * Returns a chain of agents. The first agent is the root, and every other agent is a child of the agent before it.
 */
export function chainOf(agentIds: readonly string[]): readonly object[] {
  return agentIds.map((id, at) => ({ id, ...(at > 0 && { parent: agentIds[at - 1] }) }));
}

const EVERYBODY = { policy: {}, delegableTools: undefined, agents: ['*'], mode: 'enforce' };

/** Returns random policies, and rules that apply them. Most rules are for single agents. */
export function arbitraryAuthority(
  agentIds: readonly string[],
): fc.Arbitrary<Pick<Register, 'policies' | 'rules'>> {
  const given = fc.record({
    policy: arbitraryMandate,
    delegableTools: fc.option(patterns, { nil: undefined }),
    agents: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...agentIds).map((id) => [id]) },
      { weight: 1, arbitrary: fc.constant(['*']) },
    ),
    mode: fc.constantFrom('enforce', 'enforce', 'enforce', 'observe', 'shadow'),
  });
  const several = fc.array(given, { maxLength: 4, size: 'max' });
  // In two of three cases, a rule for all agents is added. Without it, most agents would have no mandate.
  return fc.tuple(several, fc.constantFrom([], [EVERYBODY], [EVERYBODY])).map(([drawn, base]) => {
    const all = [...drawn, ...base];
    return {
      policies: all.map(({ policy, delegableTools }, at) => ({
        ...policy,
        id: `p${at}`,
        ...(delegableTools && { delegableTools }),
      })),
      rules: all.map(({ agents, mode }, at) => ({ id: `r${at}`, policy: `p${at}`, agents, mode })),
    };
  });
}
