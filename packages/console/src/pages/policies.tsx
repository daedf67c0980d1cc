/** The policies and rules of the tenant: their content, and the lint findings about them. */
import type { AgentShown, Finding, PolicyShown, RuleShown } from '@mandate/control-service';
import type { AgentDocument } from '@mandate/schemas';
import { Link, useNavigate } from '@tanstack/react-router';
import { Fragment } from 'react';
import { command } from '../data/command.ts';
import { counted } from '../data/numbers.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { AgentLink } from '../parts/agent-link.tsx';
import { ListSection } from '../parts/list-section.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import type { Column } from '../parts/table.tsx';
import { agentsInWords, isFor, limitsInWords } from '../policy/rule-in-words.ts';

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

/** The maximum number of agents that are named for each rule. */
const NAMED = 5;

const ruleColumns = (agents: readonly AgentDocument[] | null): readonly Column<RuleShown>[] => [
  { head: 'Rule', isHead: true, cell: ({ rule }) => rule.id },
  {
    head: 'Gives',
    look: 'wide',
    cell: ({ rule: { policy } }) => (
      <Link to="/policies/$id" params={{ id: policy.replace(/@\d+$/, '') }}>
        {policy}
      </Link>
    ),
  },
  {
    head: 'To',
    look: 'wide',
    cell: ({ rule }) => [agentsInWords(rule), ...limitsInWords(rule)].join(', '),
  },
  {
    head: 'Registered agents',
    look: 'wide',
    cell: ({ rule }) => agents !== null && <Concerned agents={agents.filter((one) => isFor(rule, one))} />,
  },
  {
    head: 'The whole rule',
    cell: ({ rule }) => (
      <details>
        <summary>Show</summary>
        <pre>{JSON.stringify(rule, null, 2)}</pre>
      </details>
    ),
  },
];

function Concerned({ agents }: { agents: readonly AgentDocument[] }) {
  if (agents.length === 0) return 'none';
  const more = agents.length - NAMED;
  return (
    <>
      {agents.slice(0, NAMED).map(({ id }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <AgentLink id={id} />
        </Fragment>
      ))}
      {more > 0 && ` and ${counted(more)} more`}
    </>
  );
}

export function Policies() {
  const navigate = useNavigate();
  const mayNot = useWhyNot('author');
  const lint = useRead<{ findings: Finding[]; complete: boolean }>('/v1/lint');
  const agents = useRead<{ agents: AgentShown[]; next: string | null }>('/v1/agents?limit=1000');
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
      <Read of={lint} what="doubts">
        {(linted) => <Doubts {...linted} />}
      </Read>
      <ListSection
        heading="Policies"
        path="/v1/policies?limit=200"
        list="policies"
        columns={POLICY_COLUMNS}
        nameOf={({ policy }) => policy.id}
        empty="No policy is published. Mandates of a file are not listed here."
      />
      <ListSection
        heading="Rules, in their order, and whom they concern"
        path="/v1/rules?limit=200"
        list="rules"
        columns={ruleColumns(agents.data?.agents.map(({ agent }) => agent) ?? null)}
        nameOf={({ rule }) => rule.id}
        empty="There is no rule."
      />
      {agents.data?.next != null && (
        <p className="quiet">
          Only the first {counted(agents.data.agents.length)} registered agents are compared.
        </p>
      )}
    </Page>
  );
}

/** The findings are one line, so that the lists stay visible. The line opens to show all findings. */
function Doubts({ findings, complete }: { findings: readonly Finding[]; complete: boolean }) {
  const unchecked = complete ? '' : ' Not every document was checked.';
  if (findings.length === 0) return <p className="quiet">No doubts about these documents.{unchecked}</p>;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const parts = [
    ...(errors > 0 ? [`${errors} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(findings.length > errors
      ? [`${findings.length - errors} ${findings.length - errors === 1 ? 'warning' : 'warnings'}`]
      : []),
  ];
  return (
    <details className="panel">
      <summary>
        <strong>
          {errors > 0 ? '✕' : '!'} {parts.join(' and ')}
        </strong>{' '}
        about these documents.{unchecked}
      </summary>
      <ul>
        {findings.map((one) => (
          <li key={`${one.code} ${one.message}`}>
            <strong>{one.severity === 'error' ? '✕ error' : '! warning'}</strong> <code>{one.code}</code>:{' '}
            {one.message} <span className="quiet">{one.remedy}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
