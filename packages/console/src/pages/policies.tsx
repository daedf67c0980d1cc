/** The policies and rules of the tenant: what they say, and what is doubtful about them. */
import type { Finding, PolicyShown, RuleShown } from '@mandate/control-service';
import { Link, useNavigate } from '@tanstack/react-router';
import { command } from '../data/command.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { ListSection } from '../parts/list-section.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import type { Column } from '../parts/table.tsx';

const POLICY_COLUMNS: readonly Column<PolicyShown>[] = [
  {
    head: 'Policy',
    look: 'wide',
    cell: ({ policy, isArchived }) => (
      <>
        <Link to="/policies/$id" params={{ id: policy.id }}>
          {policy.id}
        </Link>
        {isArchived && ' (archived)'}
      </>
    ),
  },
  { head: 'Version', look: 'number', cell: ({ version }) => version },
  {
    head: 'Decisions under it',
    cell: ({ policy }) => (
      <Link to="/decisions" search={{ policy: policy.id }} aria-label={`Decisions under ${policy.id}`}>
        decisions
      </Link>
    ),
  },
];

const RULE_COLUMNS: readonly Column<RuleShown>[] = [
  { head: 'Rule', look: 'wide', cell: ({ rule }) => rule.id },
  {
    head: 'Gives',
    look: 'wide',
    cell: ({ rule: { policy } }) => (typeof policy === 'string' ? policy : JSON.stringify(policy)),
  },
  {
    head: 'The whole rule',
    look: 'wide',
    cell: ({ rule }) => (
      <details>
        <summary>Show</summary>
        <pre>{JSON.stringify(rule, null, 2)}</pre>
      </details>
    ),
  },
];

export function Policies() {
  const navigate = useNavigate();
  const mayNot = useWhyNot('author');
  const lint = useRead<{ findings: Finding[]; complete: boolean }>('/v1/lint');
  return (
    <Page
      heading="Policies and rules"
      question="A rule says which agents a policy is for. The policy says what they may do."
      same={{ cli: command('policies list'), path: '/v1/policies' }}
      actions={
        <May
          whyNot={mayNot}
          onClick={() =>
            void navigate({ to: '/policies/$id', params: { id: 'new-policy' }, search: { edit: 'new' } })
          }
        >
          New policy
        </May>
      }
    >
      <Section heading="Doubts">
        <Read of={lint} what="doubts">
          {({ findings, complete }) =>
            findings.length === 0 ? (
              <p>
                {complete
                  ? 'None: every document was checked.'
                  : 'None so far, but not every document was checked.'}
              </p>
            ) : (
              <ul>
                {findings.map((one) => (
                  <li key={`${one.code} ${one.message}`}>
                    <strong>{one.severity === 'error' ? '✕ error' : '! warning'}</strong>{' '}
                    <code>{one.code}</code>: {one.message} <span className="quiet">{one.remedy}</span>
                  </li>
                ))}
              </ul>
            )
          }
        </Read>
      </Section>
      <ListSection
        heading="Policies"
        path="/v1/policies?limit=200"
        list="policies"
        columns={POLICY_COLUMNS}
        nameOf={({ policy }) => policy.id}
        empty="No policy is published. Mandates of a file are not listed here."
      />
      <ListSection
        heading="Rules, in their order"
        path="/v1/rules?limit=200"
        list="rules"
        columns={RULE_COLUMNS}
        nameOf={({ rule }) => rule.id}
        empty="There is no rule."
      />
    </Page>
  );
}
