/** What an agent may do: the policies that its rules give, with their limits. */
import type { EffectiveShown } from '@mandate/control-service';
import type { ControlEventFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { withQuery } from '../data/api.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { limitsInWords } from '../policy/limits-in-words.ts';
import { By } from './by.tsx';
import { type Column, Table } from './table.tsx';
import { When } from './when.tsx';

type Row = EffectiveShown['appliedPolicies'][number] & {
  rules: EffectiveShown['rules'];
  revision: number | undefined;
};

const COLUMNS: readonly Column<Row>[] = [
  { head: 'Policy', isHead: true, cell: ({ name }) => <PolicyName name={name} /> },
  {
    head: 'Given by',
    look: 'wide',
    cell: ({ rules }) =>
      rules.length === 0 ? 'the tenant limits' : rules.map((rule) => inWords(rule)).join('; '),
  },
  { head: 'Tools', look: 'wide code', cell: (row) => toolsOf(row) },
  {
    head: 'Limits',
    look: 'wide',
    cell: ({ policy }) =>
      policy === undefined ? 'not shown' : limitsInWords(policy).join('; ') || 'none on amounts',
  },
  { head: 'Published', look: 'wide', cell: (row) => <Published {...row} /> },
];

export function EffectiveTable({ effective }: { effective: EffectiveShown }) {
  const { status, isTenantClosed, rules, appliedPolicies, policyRevisions, isComplete } = effective;
  if (status === 'retired') return <p>Nothing: it was taken off the register.</p>;
  if (status === 'unregistered')
    return <p>No rule applies to it, because it is not registered. A mandates file may name it.</p>;
  return (
    <>
      {isTenantClosed && <p>Nothing: its tenant is closed.</p>}
      <Table
        label="What it may do"
        columns={COLUMNS}
        rows={appliedPolicies.map((one) => ({
          ...one,
          rules: rules.filter(({ policy }) => policy === one.name),
          revision: policyRevisions[one.name],
        }))}
        nameOf={({ name }) => name}
        empty="Nothing: no rule names this agent."
      />
      <p className="quiet">
        Every policy must allow an action.{!isComplete && ' There are more rules than these.'}
      </p>
    </>
  );
}

/** The policies of a manifest are published together with the manifest, and have the same revision. */
const OF_MANIFESTS = '/v1/audit/control-events?event=manifest.published&limit=100';

/** The author and the time of the policy's publication, from the audit. The revision identifies the publication. */
function Published({ name, revision }: Row) {
  const mayNot = useWhyNot('audit');
  const [, id = ''] = NAME.exec(name) ?? [];
  const isAsked = mayNot === null && revision !== undefined && id !== '';
  const policies = useRead<{ events: ControlEventFound[] }>(
    isAsked
      ? withQuery('/v1/audit/control-events', { subject: id, event: 'policy.published', limit: 100 })
      : null,
  );
  const isThis = (one: ControlEventFound) => one.revision === revision && one.refusal === null;
  const published = policies.data?.events.find(isThis);
  const manifests = useRead<{ events: ControlEventFound[] }>(
    policies.data !== undefined && published === undefined ? OF_MANIFESTS : null,
  );
  const found = published ?? manifests.data?.events.find(isThis);
  if (revision === undefined) return 'not recorded';
  if (found === undefined) return `revision ${revision}`;
  return (
    <>
      <Link to="/changes/$id" params={{ id: found.id }} search={{ event: found.event }}>
        revision {revision}
      </Link>{' '}
      by <By who={found.by} />, <When at={found.happenedAt} />
      {found.reason !== '' && <>, because «{found.reason}»</>}
    </>
  );
}

const NAME = /^([^ @]+)(?:@\d+)?$/;

function PolicyName({ name }: { name: string }) {
  const [, id] = NAME.exec(name) ?? [];
  if (id === undefined) return name;
  return (
    <Link to="/policies/$id" params={{ id }}>
      {name}
    </Link>
  );
}

function inWords({ rule, mode, ancestor, isConditional }: EffectiveShown['rules'][number]): string {
  const facts = [
    ...(mode === 'enforce' ? [] : [mode]),
    ...(isConditional ? ['under a condition'] : []),
    ...(ancestor === null ? [] : [`of ${ancestor}`]),
  ];
  return facts.length === 0 ? rule : `${rule} (${facts.join(', ')})`;
}

function toolsOf({ isMissing, policy }: Row): string {
  if (isMissing) return 'none: the policy does not exist';
  if (policy === undefined) return 'not shown';
  const { allowedTools, deniedTools = [] } = policy;
  const allowed = allowedTools === undefined ? 'all' : allowedTools.join(', ') || 'none';
  return deniedTools.length === 0 ? allowed : `${allowed}, except ${deniedTools.join(', ')}`;
}
