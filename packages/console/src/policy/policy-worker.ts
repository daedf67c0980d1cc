/**
 * The policy engine of the plane, in a worker of the browser. The worker may compile schemas to functions, which the
 * pages may not.
 */
import { foldControl, loadControl, previewMandate, type TenantControl } from '@mandate/control';
import { controlWidening, lintControl, narrowing, widening } from '@mandate/control/lint';
import type { DocumentFault } from '@mandate/policy/documents';
import { type ContentFinders, profanityFinder } from '@mandate/policy/governance';
import type { AgentDocument, ControlRecord, PolicyDocument } from '@mandate/schemas';
import { stringify } from 'yaml';
import type { Asked, Cell, Checked, Compared, InForce, MatrixRow, Place } from './messages.ts';

const TENANT = 'default';

/** A preview of a call has no answer of an agent, so nothing is looked for in it. */
const FINDERS: ContentFinders = { personalData: () => () => [], profanity: profanityFinder([]) };

addEventListener('message', ({ data: { id, asked } }: MessageEvent<{ id: number; asked: Asked }>) => {
  try {
    postMessage({ id, answer: answer(asked) });
  } catch (error) {
    postMessage({ id, fault: error instanceof Error ? error.message : String(error) });
  }
});

function answer(asked: Asked): string | Checked | Compared | readonly MatrixRow[] {
  if (asked.kind === 'write') return written(asked.policy);
  if (asked.kind === 'compare') return compared(asked);
  return asked.kind === 'check' ? checked(asked) : matrix(asked);
}

function compared({ before, after }: Extract<Asked, { kind: 'compare' }>): Compared {
  return {
    before: written(before),
    after: written(after),
    widens: widening(before, after),
    narrows: narrowing(before, after),
  };
}

function written(policy: PolicyDocument): string {
  return stringify({ kind: 'policy', ...policy }, { lineWidth: 100 });
}

function checked({ text, inForce }: Extract<Asked, { kind: 'check' }>): Checked {
  const nothing = { doubts: [], policy: null, widens: null, narrows: null, findings: null };
  const loaded = loadControl(text);
  if (!loaded.ok) return { ...nothing, faults: loaded.faults.map(placeOf) };
  const { agents, rules, policies } = loaded.documents;
  const [policy] = policies.values();
  if (policy === undefined || policies.size > 1 || agents.size > 0 || rules.size > 0) {
    return { ...nothing, faults: [{ line: 1, column: 1, message: 'write exactly one policy here' }] };
  }
  const nowMs = Date.now();
  const before = inForce.policies.findLast((one) => one.policy.id === policy.id && !one.isArchived);
  return {
    faults: [],
    doubts: loaded.warnings().map(placeOf),
    policy,
    widens: controlWidening(controlOf(inForce), { event: 'policy.published', policy }, nowMs),
    narrows: before === undefined ? [] : narrowing(before.policy, policy),
    findings: lintControl(controlOf(inForce, policy), nowMs).findings,
  };
}

function placeOf({ line, column, path, message }: DocumentFault): Place {
  return { line, column, message: path === '' ? message : `${path}: ${message}` };
}

function matrix({ agents, tools, draft, inForce }: Extract<Asked, { kind: 'matrix' }>): readonly MatrixRow[] {
  const control = controlOf(inForce);
  const nowMs = Date.now();
  return agents.map((agentId) => {
    const agent: AgentDocument = control.agents.get(agentId)?.document ?? {
      id: agentId,
      groups: [],
      labels: {},
    };
    return {
      agent: agentId,
      cells: tools.map((tool) => ({
        now: cell(control, agent, tool, [], nowMs),
        draft: draft === null ? null : cell(control, agent, tool, [draft], nowMs),
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
  const { refusal, observe, checks } = plan;
  if (refusal !== null && !observe) {
    const verdict = checks.some(({ result }) => result === 'defer') ? 'DEFER' : 'BLOCK';
    return { verdict, code: refusal.code, reason: refusal.reason };
  }
  return {
    verdict: 'ALLOW',
    code: 'ALLOWED',
    reason: observe ? 'The mandate only observes.' : 'No check refuses it.',
  };
}

/** Returns the state that the plane has, or would have with the draft as the newest version. */
function controlOf({ agents, rules, policies }: InForce, draft: PolicyDocument | null = null): TenantControl {
  const fold = foldControl();
  let revision = 0;
  const apply = (record: Change) => {
    revision += 1;
    const change = { id: `chg_${revision}`, tenant: TENANT, by: 'preview', reason: '', at: AT };
    fold.apply({ ...record, change } as ControlRecord, revision);
  };
  for (const agent of agents) apply({ event: 'agent.put', agent });
  for (const [id, versions] of Map.groupBy(policies, ({ policy }) => policy.id)) {
    const newest = versions.at(-1);
    if (newest === undefined) continue;
    // The state counts the versions of a policy. The browser has only those that rules name. For each other version,
    // the newest is published here, so that the count is right.
    for (let version = 1; version <= newest.version; version += 1) {
      apply({
        event: 'policy.published',
        policy: versions.find((one) => one.version === version)?.policy ?? newest.policy,
      });
    }
    if (draft?.id === id) apply({ event: 'policy.published', policy: draft });
    else if (newest.isArchived) apply({ event: 'policy.archived', policyId: id, forced: true });
  }
  if (draft !== null && !policies.some(({ policy }) => policy.id === draft.id)) {
    apply({ event: 'policy.published', policy: draft });
  }
  for (const rule of rules) apply({ event: 'rule.put', rule });
  return fold.tenant(TENANT);
}

const AT = '2026-01-01T00:00:00.000Z';

type Change = ControlRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'change'>
    : never
  : never;
