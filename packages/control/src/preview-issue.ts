/** Previews a grant as if it were issued now: finds its sources among the current documents and planned changes. */
import type { Action, GrantDocument, PolicyDocument } from '@mandate/schemas';
import { type AlmostMatchingRule, almostMatchingRules } from './almost-matching-rules.ts';
import { composeGrant, type GrantComposed, isToldBy, policiesNamed } from './compose-grant.ts';
import { asPlanned, type Candidates, withCandidates } from './preview-mandate.ts';
import type { TenantControl } from './tenant-control.ts';

type Thought = Omit<Candidates, 'action'> & Pick<GrantDocument, 'context'>;

export type IssuePreview = {
  issue: GrantComposed;
  near: readonly AlmostMatchingRule[];
  /** The policy documents by id. Null for a policy that does not exist. */
  documents: ReadonlyMap<string, PolicyDocument | null>;
};

export function previewIssue(control: TenantControl, thought: Thought): IssuePreview {
  const { agent, context, atMs } = thought;
  const changed = withCandidates(control, thought);
  const issue = composeGrant(changed, asPlanned(agent), context, atMs);
  const action = { context } as unknown as Action;
  const near = almostMatchingRules(control, { ...thought, action }, isToldBy(context));
  const rules = issue.ok ? [...issue.composed.rules, ...issue.composed.openRules] : [];
  return { issue, near, documents: policiesNamed(changed, rules) };
}
