/** Tries a change on a copy of its tenant, and says what the change would do. Runs in the control thread. */
import type { TenantControl } from '@mandate/control';
import {
  agentsConcerned,
  type ControlChange,
  controlWidening,
  type LintedDocument,
  lintAround,
} from '@mandate/control/lint';
import type { ControlReplica } from '@mandate/control-log/replica';
import { type ControlRecord, policyNamed } from '@mandate/schemas';
import type { ControlJob } from '../thread/control-jobs.ts';
import { refusedChange } from './refused-change.ts';

/**
 * Returns a `WouldChange`.
 *
 * @throws HttpProblem the refusal that the change would get
 */
export function tryChange(
  replica: Pick<ControlReplica, 'tenant' | 'tried'>,
  { record, atMs, fileKeys }: Extract<ControlJob, { kind: 'try change' }>,
): object {
  const before = replica.tenant(record.change.tenant);
  const tried = replica.tried(record);
  if (!tried.ok) throw refusedChange(tried, record, before);
  const { control: after, revision, isRepeat } = tried;
  const { change: _, ...what } = record;
  const lints = documentToLint(record, before);
  return {
    dryRun: true,
    event: record.event,
    revision,
    version: record.event === 'policy.published' ? versionOf(after, record.policy.id) : null,
    isRepeat,
    widens: isRepeat ? null : controlWidening(before, what as ControlChange, atMs),
    lint: lints === null ? [] : lintAround(after, atMs, lints, fileKeys),
    agents: agentsConcerned(before, after, record),
  };
}

function versionOf({ policies }: TenantControl, id: string): number {
  return policies.get(id)?.versions.length ?? 0;
}

/** Returns the document to lint, as after the change itself. */
function documentToLint(record: ControlRecord, before: TenantControl): LintedDocument | null {
  switch (record.event) {
    case 'agent.put':
      return { kind: 'agent', id: record.agent.id };
    case 'agent.retired':
      return { kind: 'agent', id: record.agentId };
    case 'policy.published':
      return { kind: 'policy', id: record.policy.id };
    case 'policy.archived':
      return { kind: 'policy', id: record.policyId };
    case 'rule.put':
      return { kind: 'rule', id: record.rule.id };
    case 'rule.removed': {
      const rule = before.rules.get(record.ruleId)?.document;
      return rule === undefined ? null : { kind: 'policy', id: policyNamed(rule.policy).id };
    }
    default:
      return null;
  }
}
