/**
 * The doubts about the documents of a tenant, in the form of lint findings. document-doubts.ts explains each doubt.
 */

import { alikeTools, consume, type Doubt, listDoubts, lookAlikes, policyDoubts } from '@mandate/policy/parts';
import type { AgentDocument, PolicyDocument } from '@mandate/schemas';
import type { TenantControl } from '../tenant-control.ts';
import { tenantLimitsDocument } from '../tenant-limits.ts';
import type { Finding } from './finding.ts';
import type { Policies } from './idle-documents.ts';
import { type LintBudget, skip } from './lint-budget.ts';
import type { RuleRead } from './rules-read.ts';

/** The cost of checking one pattern, or of searching for a similar name, in steps of lint. */
const OF_ENTRY = 20;

type Told = { of: string; document: PolicyDocument; policies: readonly string[] };

/** @param own the policies to report on; the declarations of tools in other policies are used too */
export function doubtfulPolicies(control: TenantControl, own: Policies, stepBudget: LintBudget): Finding[] {
  const all = policiesIn(control);
  const ids = new Set(own.map(([id]) => id));
  const known = new Set(all.flatMap(({ document }) => document.tools ?? []));
  return all
    .filter(({ policies: [id] }) => id === undefined || ids.has(id))
    .flatMap(({ of, document, policies }) => {
      if (!consume(stepBudget, OF_ENTRY * sizeOf(document))) {
        skip(stepBudget, 'PATTERN_DOUBTFUL', 'policies');
        return [];
      }
      const doubts = [...listDoubts(document), ...policyDoubts(document, known)];
      return doubts.map((doubt) => finding(doubt, `${of}, ${doubt.path.join('.')}`, { policies }));
    });
}

export function doubtfulRules(rules: readonly RuleRead[], stepBudget: LintBudget): Finding[] {
  return rules.flatMap(({ document }) => {
    if (!consume(stepBudget, OF_ENTRY * (1 + (document.agents?.length ?? 0)))) {
      skip(stepBudget, 'PATTERN_DOUBTFUL', 'rules');
      return [];
    }
    return listDoubts(document).map((doubt) =>
      finding(doubt, `The rule "${document.id}", ${doubt.path.join('.')}`, { rules: [document.id] }),
    );
  });
}

/**
 * Finds similar names of tools in all policies and in the tenant limits.
 *
 * @param first a finding names one of these policies if possible
 */
export function toolsAlike(control: TenantControl, first: Policies, stepBudget: LintBudget): Finding[] {
  const ids = new Set(first.map(([id]) => id));
  const isFirst = ({ policies: [id = ''] }: Told) => ids.has(id);
  const all = policiesIn(control).toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  if (!consume(stepBudget, OF_ENTRY * all.reduce((sum, { document }) => sum + sizeOf(document), 0))) {
    skip(stepBudget, 'NAMES_ALIKE', 'policies');
    return [];
  }
  const named = all.map((told) => {
    const [id] = told.policies;
    return { ...told, of: id === undefined ? ' of the tenant limits' : ` of "${id}"` };
  });
  return alikeTools(named).map(({ within, ...doubt }) =>
    finding(doubt, 'The tools', { policies: within.flatMap(({ policies }) => policies) }),
  );
}

export function agentsAlike(agents: readonly AgentDocument[], stepBudget: LintBudget): Finding[] {
  if (!consume(stepBudget, OF_ENTRY * agents.length)) {
    skip(stepBudget, 'NAMES_ALIKE', 'agents');
    return [];
  }
  return lookAlikes(agents.map(({ id }) => id)).map((alike) => ({
    code: 'NAMES_ALIKE',
    severity: 'warning',
    message: `The agents ${alike.map((id) => `"${id}"`).join(' and ')} look alike but are different agents.`,
    remedy: 'Check that you mean each of them. Names are compared by their Unicode code points.',
  }));
}

function policiesIn(control: TenantControl): readonly Told[] {
  const policies = [...control.policies].flatMap(([id, { versions, isArchived }]): Told[] => {
    const document = versions.at(-1)?.document;
    if (isArchived || document === undefined) return [];
    return [{ of: `The policy "${id}"`, document, policies: [id] }];
  });
  const tenantLimits = control.opened && tenantLimitsDocument(control.opened.document);
  return tenantLimits
    ? [...policies, { of: 'The tenant limits', document: tenantLimits, policies: [] }]
    : policies;
}

function sizeOf({
  tools,
  allowedTools,
  deniedTools,
  delegableTools,
  toolPolicies,
  ...rest
}: PolicyDocument): number {
  const ofCalls = [rest.allowedModels, rest.deniedModels, rest.allowedProviders, rest.deniedProviders];
  const lists = [tools, allowedTools, deniedTools, delegableTools, ...ofCalls];
  const entries = lists.reduce((sum, list) => sum + (list?.length ?? 0), 1);
  return entries + Object.keys(toolPolicies ?? {}).length;
}

function finding(
  { code, message, remedy }: Doubt,
  place: string,
  of: Pick<Finding, 'rules' | 'policies'>,
): Finding {
  return {
    code,
    severity: 'warning',
    ...of,
    message: `${place}: ${message}${message.endsWith('?') ? '' : '.'}`,
    remedy,
  };
}
