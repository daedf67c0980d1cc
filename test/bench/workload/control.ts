/**
 * Makes a tenant with many agents, policies and rules. Each agent is in one of 500 groups. Ten rules apply to each
 * group, and each rule has its own policy. An agent's actions match five of the ten rules, so each decision has five
 * policies.
 */
import { type ControlRecord, controlRecord } from '@mandate/schemas';
import { mandateDocument } from './mandate.ts';

export const TENANT = 'bench';
export const SIZE = { agents: 10_000, policies: 1_000, rules: 5_000 };
const GROUPS = 500;

export function agentNumber(at: number): string {
  return `airline-${at % SIZE.agents}`;
}

export function policyNumber(at: number): object {
  const { agents: _, ...document } = mandateDocument({ globs: 10 }) as { agents: unknown };
  return { ...document, id: `policy-${at}` };
}

/** Returns all changes of the tenant, in order. */
export function controlRecords(size = SIZE): ControlRecord[] {
  const policies = count(size.policies, (at) => change('policy.published', { policy: policyNumber(at) }));
  const rules = count(size.rules, (at) => change('rule.put', { rule: ruleNumber(at, size.policies) }));
  const agents = count(size.agents, (at) =>
    change('agent.put', { agent: { id: agentNumber(at), groups: [`group-${at % GROUPS}`] } }),
  );
  return [...policies, ...rules, ...agents];
}

/**
 * Between two rules of a group, the number of the policy grows by this step. The step and the number of policies have
 * no common factor, so the rules of a group get different policies.
 */
const APART = 37;

function ruleNumber(at: number, policies: number): object {
  const ofGroup = Math.floor(at / GROUPS);
  const environment = ofGroup % 2 === 0 ? 'prod' : 'test';
  return {
    version: 1,
    id: `rule-${at}`,
    policy: `policy-${(at + ofGroup * APART) % policies}`,
    groups: [`group-${at % GROUPS}`],
    when: { field: 'context.environment', op: '==', value: environment },
  };
}

let changes = 0;

export function change(event: ControlRecord['event'], what: object): ControlRecord {
  changes += 1;
  const id = `chg_bench_${changes}`;
  const made = { id, tenant: TENANT, by: 'bench', reason: '', at: '2026-06-01T12:00:00.000Z' };
  return controlRecord.parse({ event, change: made, ...what });
}

function count(most: number, make: (at: number) => ControlRecord): ControlRecord[] {
  return Array.from({ length: most }, (_, at) => make(at));
}
