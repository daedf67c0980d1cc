/** Makes a tenant for lint from a few documents. */
import { type ControlRecord, controlRecord } from '@mandate/schemas';
import { foldControl } from '../control-state.ts';
import { lintControl } from './lint-control.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

export type Documents = {
  tenantLimits?: object;
  directTopic?: boolean;
  agents?: object[];
  policies?: object[];
  rules?: object[];
  archived?: string[];
  retired?: string[];
};

/** Adds the fields that every document must have. */
export function controlOf({
  tenantLimits,
  directTopic,
  agents = [{ id: 'a' }],
  policies = [],
  rules = [],
  archived = [],
  retired = [],
}: Documents) {
  const fold = foldControl();
  const bodies = [
    ...(tenantLimits === undefined && directTopic === undefined
      ? []
      : [{ event: 'tenant.put', tenant: { version: 1, id: 't', limits: tenantLimits, directTopic } }]),
    ...agents.map((agent) => ({ event: 'agent.put', agent })),
    ...policies.map((policy) => ({ event: 'policy.published', policy: { version: 1, ...policy } })),
    ...rules.map((rule) => ({ event: 'rule.put', rule: { version: 1, ...rule } })),
    ...archived.map((policyId) => ({ event: 'policy.archived', policyId, forced: true })),
    ...retired.map((agentId) => ({ event: 'agent.retired', agentId })),
  ];
  for (const [at, body] of bodies.entries()) {
    const change = { id: `chg-${at}`, tenant: 't', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
    const record: ControlRecord = controlRecord.parse({ ...body, change });
    fold.apply(record, at + 1);
  }
  return fold.tenant('t');
}

export const found = (documents: Documents) =>
  lintControl(controlOf(documents), NOW_MS).findings.map(({ code, rules, policies }) => ({
    code,
    rules,
    policies,
  }));
