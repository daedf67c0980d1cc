/** Makes a tenant with agents that get grants as the control service composes them. */
import { composeGrant, foldControl, mandatesUnderControl, type TenantControl } from '@mandate/control';
import { planInForce } from '@mandate/policy';
import { type Action, controlRecord, type Plan, wireTime } from '@mandate/schemas';
import { START_MS } from '../decider-in-a-box.ts';

export const TTL_MS = 300_000;

/** Composes a grant as the control service does. Returns null if no rule matches. */
export function grantNow(
  control: TenantControl,
  agentId: string,
  { id, context = {}, nowMs = START_MS }: { id: string; context?: Record<string, string>; nowMs?: number },
) {
  const kept = control.agents.get(agentId);
  const made = kept && composeGrant(control, kept, context, nowMs);
  if (!made?.ok) return null;
  const { rules, openRules, startsAtMs, endsAtMs } = made.composed;
  const endMs = Math.min(nowMs + TTL_MS, endsAtMs ?? Number.POSITIVE_INFINITY);
  const what = { id: `mnd_${id}`, agentId, context, rules, openRules };
  const startsAt = startsAtMs === null ? {} : { startsAt: wireTime(startsAtMs) };
  return { ...what, foundAt: control.revision, ttlMs: TTL_MS, ...startsAt, expiresAt: wireTime(endMs) };
}

/** Returns functions that change a tenant step by step, and ask what is allowed after each change. */
export function tenant() {
  const fold = foldControl();
  let revision = 0;
  let nowMs = START_MS;
  const mandates = mandatesUnderControl(fold, () => revision);
  function put(fields: object, change: object = {}) {
    revision += 1;
    const made = { id: `chg-${revision}`, tenant: 'acme', by: 'ann', reason: '', at: wireTime(nowMs) };
    return fold.apply(controlRecord.parse({ ...fields, change: { ...made, ...change } }), revision);
  }
  const agent = (fields: object = {}) => put({ event: 'agent.put', agent: { id: 'bot', ...fields } });
  const policy = (fields: object = {}) =>
    put({ event: 'policy.published', policy: { version: 1, id: 'p', ...fields } });
  const rule = (fields: object = {}) =>
    put({ event: 'rule.put', rule: { version: 1, id: 'r', policy: 'p', ...fields } });
  const archive = (policyId = 'p') => put({ event: 'policy.archived', policyId, forced: true });

  const grant = (id: string, context: Record<string, string> = {}, agentId = 'bot') =>
    grantNow(fold.tenant('acme'), agentId, { id, context, nowMs });
  /** Issues a grant. Returns false if no rule matches. */
  function issue(id: string, context?: Record<string, string>, agentId?: string): boolean {
    const made = grant(id, context, agentId);
    return made !== null && put({ event: 'grant.issued', grant: made }).ok;
  }
  const revoke = (id: string) => put({ event: 'grant.revoked', grantId: `mnd_${id}` });
  const ask = (fields: Partial<Action> & { tool?: string } = {}, atMs = nowMs): Plan => {
    const action = { id: 'x', agentId: 'bot', type: 'tool_call', tool: 'read', ...fields } as Action;
    return planInForce(mandates, 'acme', action, atMs);
  };
  return {
    ...{ fold, mandates, put, agent, policy, rule, archive, grant, issue, revoke, ask },
    passes(ms: number) {
      nowMs += ms;
    },
  };
}

/** Returns a tenant with one agent, one rule and one policy. */
export function governed(policy: object = {}) {
  const made = tenant();
  made.agent();
  made.policy(policy);
  made.rule();
  return made;
}

export const codeOf = ({ refusal }: Plan) => refusal?.code ?? 'ALLOWED';
