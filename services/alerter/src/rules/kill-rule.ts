/**
 * The rule for a kill switch that was pulled or released. Several partitions may contain copies of the record, with
 * the same id.
 */
import type { AgentKilled, AgentRevived, KillTarget } from '@mandate/schemas';
import type { Finding } from './finding.ts';

export function killed({ kill }: AgentKilled): Finding {
  const { target, reason, by, openCount } = kill;
  return {
    ...about(kill),
    rule: 'kill',
    message: `${nameOf(target)} was killed by ${by}: ${reason}. ${openCount} ${openCount === 1 ? 'action was' : 'actions were'} open.`,
    facts: { ...target, by, reason, openCount },
  };
}

export function revived({ revive }: AgentRevived): Finding {
  const { target, reason, by } = revive;
  return {
    ...about(revive),
    rule: 'revive',
    message: `${nameOf(target)} may act again, says ${by}: ${reason}`,
    facts: { ...target, by, reason },
  };
}

function about({
  id,
  at,
  target,
  revision,
}: {
  id: string;
  at: string;
  target: KillTarget;
  revision: number;
}) {
  const tenant = target.scope === 'all' ? null : target.tenant;
  return { tenant, subject: id, holds: true, order: revision, at };
}

function nameOf(target: KillTarget): string {
  if (target.scope === 'all') return 'Everything';
  if (target.scope === 'tenant') return `Every agent of ${target.tenant}`;
  return `The agent ${target.agentId}${target.scope === 'subtree' ? ', with everything below it,' : ''}`;
}
