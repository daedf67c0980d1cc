import type { PolicyDocument } from '@mandate/schemas';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { momentBefore, someText } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { printableLines } from '../output/printable.ts';
import { showAnswer } from '../output/write.ts';

/** The answer of GET /v1/agents/:id/effective. */
type Effective = {
  agentId: string;
  at: string;
  revision: number;
  status: 'registered' | 'retired' | 'unregistered';
  isTenantClosed: boolean;
  isComplete: boolean;
  rules: readonly {
    rule: string;
    revision: number;
    mode: string;
    policy: string;
    ancestor: string | null;
    isConditional: boolean;
  }[];
  appliedPolicies: readonly { name: string; isMissing: boolean; policy?: PolicyDocument }[];
  policyRevisions: Readonly<Record<string, number>>;
};

export function effectiveCommand(agents: Command, run: RunCommand): void {
  agents
    .command('effective')
    .description(
      'Shows what an agent may do now, or what it might do at a moment of the past: the rules that name it and their ' +
        'policies, each with the revision of its last change. Scope audit or author.',
    )
    .argument('<agent>', 'the id of the agent', someText)
    .option('--at <time>', 'the moment (default now)', momentBefore(Date.now))
    .addHelpText(
      'after',
      `
\`mandate preview\` tries an action, with its conditions.

Examples:
  mandate agents effective airline-007
  mandate agents effective airline-007 --at 7d
  mandate agents effective airline-007 --at 2026-01-31T12:00:00Z --json`,
    )
    .action((id: string, { at }: { at?: string }) =>
      run(async (context) => {
        const path = `/v1/agents/${encodeURIComponent(id)}/effective`;
        const query = { expand: 'policies', ...(at !== undefined && { at }) };
        const answer = await connect(context).get<Effective>(path, query);
        return showAnswer(context, answer, () => text(answer));
      }),
    );
}

function text(effective: Effective): string {
  const { agentId, at, revision, status, isTenantClosed, isComplete, rules } = effective;
  const head = [
    `${agentId} at ${at} (revision ${revision}): ${status}`,
    ...(isTenantClosed ? ['its tenant is closed: nothing is allowed'] : []),
    ...(status === 'registered' ? [`${counted(rules.length, 'rule')}${isComplete ? '' : ' and more'}`] : []),
    ...(status === 'registered' && rules.length === 0 ? ['no rule names it: nothing is allowed'] : []),
    ...(status === 'retired' ? ['nothing is allowed until it is registered again'] : []),
    ...(status === 'unregistered' ? ['no rule applies; a mandates file may name it'] : []),
  ];
  return printableLines(`${[...head, ...rules.map(ruleText)].join('\n')}\n${policiesText(effective)}`);
}

function ruleText({ rule, revision, mode, policy, ancestor, isConditional }: Effective['rules'][number]) {
  const facts = [
    ...(mode === 'enforce' ? [] : [mode]),
    ...(isConditional ? ['under a condition'] : []),
    ...(ancestor === null ? [] : [`of its ancestor ${ancestor}`]),
    `revision ${revision}`,
  ];
  return `  ${rule} gives ${policy} (${facts.join(', ')})`;
}

function policiesText({ appliedPolicies, policyRevisions }: Effective): string {
  return appliedPolicies
    .map(({ name, isMissing, policy }) => {
      if (isMissing) return `\n${name}: this policy does not exist, so its rules block\n`;
      const head = `\n${name} (revision ${policyRevisions[name]})`;
      return policy === undefined ? `${head}\n` : `${head}:\n${stringify(policy, { lineWidth: 0 })}`;
    })
    .join('');
}
