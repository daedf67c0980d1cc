/** One policy: its content, its versions with the differences between them, and a draft of a new version. */
import type { PolicyPublished, PolicyShown } from '@mandate/control-service';
import type { ControlEventFound } from '@mandate/query';
import type { PolicyDocument } from '@mandate/schemas';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { send, withQuery } from '../data/api.ts';
import { command, quoted } from '../data/command.ts';
import { type LiveEvent, useLiveEvents } from '../data/live.ts';
import { dollars } from '../data/money.ts';
import { counted } from '../data/numbers.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { Ask } from '../parts/ask.tsx';
import { By } from '../parts/by.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/problem.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { DocumentDiff } from '../policy/document-diff.tsx';
import { useInForce } from '../policy/in-force.ts';
import { type Draft, DraftEffects, DraftNotes, forgetDraft, PolicyEditor } from '../policy/policy-editor.tsx';
import { Missing } from './missing.tsx';

const NEW: PolicyDocument = { version: 1, id: 'new-policy', allowedTools: ['read_*'], maxCostTotal: 5 };

type Version = Pick<PolicyShown, 'version' | 'revision' | 'policy'>;

export function Policy() {
  const { id = '' } = useParams({ strict: false });
  const { edit, field, atLeastMicros, name } = useParameters();
  const isNew = edit === 'new';
  const [draft, setDraft] = useState<Draft | null>(null);
  const path = `/v1/policies/${encodeURIComponent(id)}`;
  const read = useRead<PolicyShown>(isNew ? null : path);
  const versions = useRead<{ versions: Version[]; next: string | null }>(
    isNew ? null : `${path}/versions?limit=50`,
  );
  const wanted =
    field === undefined
      ? null
      : `${field}${name === undefined ? '' : ` for ${name}`}${
          atLeastMicros === undefined ? '' : `: at least ${dollars(Number(atLeastMicros))}`
        }`;
  if (!isNew && isMissing(read)) return <NoPolicy id={id} />;
  return (
    <Page
      heading={isNew ? 'New policy' : `Policy ${id}`}
      name={isNew ? 'New policy' : id}
      question={
        isNew
          ? 'Nobody is under a new policy before a rule gives it.'
          : 'What it says, what a draft would change, and what each version changed.'
      }
      same={isNew ? {} : { cli: command(`policies show ${quoted(id)}`), path }}
    >
      {wanted !== null && (
        <p role="note" className="panel">
          This would have changed the decision: <strong>{wanted}</strong>. Edit it below; nothing happens
          before you publish.
        </p>
      )}
      {isNew ? (
        <Edit before={null} draft={draft} onDraft={setDraft} />
      ) : (
        <Read of={read} what="the policy">
          {(shown) => <Edit key={shown.revision} before={shown} draft={draft} onDraft={setDraft} />}
        </Read>
      )}
      {!isNew && (
        <Read of={versions} what="versions">
          {({ versions: found, next }) => (
            <Versions id={id} versions={found} hasMore={next !== null} draft={draft?.policy ?? null} />
          )}
        </Read>
      )}
    </Page>
  );
}

function NoPolicy({ id }: { id: string }) {
  return (
    <Missing heading="Policy not found" what={`There is no policy «${id}».`}>
      <p>
        It was never published here, or its name is written in another way. Mandates of a file have no page.
      </p>
      <p className="row">
        <Link className="button" to="/policies">
          All policies
        </Link>
        <Link className="button" to="/changes" search={{ subject: id }}>
          Changes of {id}
        </Link>
      </p>
    </Missing>
  );
}

function Edit({
  before,
  draft,
  onDraft,
}: {
  before: PolicyShown | null;
  draft: Draft | null;
  onDraft: (draft: Draft) => void;
}) {
  const inForce = useInForce();
  const mayNot = useWhyNot('author');
  const [isAsked, setAsked] = useState(false);
  const policy = before?.policy ?? NEW;
  const isSame = draft?.policy != null && JSON.stringify(draft.policy) === JSON.stringify(before?.policy);
  const whyNot =
    mayNot ??
    (draft?.policy == null
      ? 'Correct the faults first.'
      : isSame
        ? 'Nothing is changed yet.'
        : before !== null && draft.policy.id !== before.policy.id
          ? `The id must stay ${before.policy.id}.`
          : null);
  const widens = draft?.widens ?? [];
  return (
    <Section heading={headingOf(before, draft !== null && !isSame)}>
      <Read of={inForce} what="the documents in force">
        {(documents) => (
          <>
            <PolicyEditor policy={policy} inForce={documents} onDraft={onDraft} />
            {draft !== null && (
              <>
                <DraftEffects draft={draft} />
                <DraftNotes draft={draft} />
              </>
            )}
          </>
        )}
      </Read>
      <div className="row">
        {before !== null && (
          <Link className="button" to="/what-if" search={{ policy: before.policy.id }}>
            See in What-if
          </Link>
        )}
        <May
          whyNot={whyNot}
          className={widens.length > 0 ? 'danger' : 'primary'}
          onClick={() => setAsked(true)}
        >
          {widens.length > 0
            ? `Publish: it allows more in ${counted(widens.length)} ${widens.length === 1 ? 'place' : 'places'}`
            : 'Publish'}
        </May>
      </div>
      {isAsked && draft?.policy != null && (
        <Publish
          policy={draft.policy}
          widens={widens}
          narrows={draft.narrows ?? []}
          before={before}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  );
}

function headingOf(before: PolicyShown | null, isChanged: boolean): string {
  if (before === null) return 'Draft';
  return isChanged ? `Draft, after version ${before.version}` : `Version ${before.version}`;
}

/** A change that only restricts needs one key. A change that allows more needs a reason. */
function Publish({
  policy,
  widens,
  narrows,
  before,
  onClose,
}: {
  policy: PolicyDocument;
  widens: readonly string[];
  narrows: readonly string[];
  before: PolicyShown | null;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const queries = useQueryClient();
  const navigate = useNavigate();
  async function publish() {
    const said = reason.trim() === '' ? undefined : reason.trim();
    const path =
      before === null
        ? withQuery('/v1/policies', { reason: said })
        : withQuery(`/v1/policies/${encodeURIComponent(policy.id)}`, { reason: said });
    await send<PolicyPublished>(before === null ? 'POST' : 'PUT', path, {
      body: policy,
      idempotencyKey,
      ...(before !== null && { ifMatch: `"${before.revision}"` }),
    });
    forgetDraft(before?.policy.id ?? NEW.id);
    onClose();
    await queries.invalidateQueries({ queryKey: ['read'] });
    void navigate({ to: '/policies/$id', params: { id: policy.id }, search: {} });
  }
  const mustSay = widens.length > 0 && reason.trim() === '';
  return (
    <Ask
      title={`Publish ${policy.id}?`}
      does={widens.length > 0 ? 'Let it through' : 'Publish'}
      isGrave={widens.length > 0}
      whyNot={mustSay ? 'Say why this may be let through.' : null}
      onDo={publish}
      onClose={onClose}
    >
      {widens.length > 0 ? (
        <>
          <p>It newly allows:</p>
          <ul>
            {widens.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          It allows nothing that was not allowed before.{' '}
          {before !== null && (
            <Link to="/what-if" search={{ policy: policy.id }}>
              See in What-if which calls it refuses
            </Link>
          )}
        </p>
      )}
      {narrows.length > 0 && (
        <>
          <p>It takes away:</p>
          <ul>
            {narrows.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
      <label>
        Reason{widens.length > 0 ? '' : ' (optional)'}
        <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Ask>
  );
}

const DRAFT = 'draft';

type Published = Pick<ControlEventFound, 'by' | 'happenedAt' | 'reason'>;

/** Every version, with its author, time and reason, and the differences between two versions. */
function Versions({
  id,
  versions,
  hasMore,
  draft,
}: {
  id: string;
  versions: readonly Version[];
  hasMore: boolean;
  draft: PolicyDocument | null;
}) {
  const mayNotAudit = useWhyNot('audit');
  const path = withQuery('/v1/audit/control-events', { subject: id, event: 'policy.published', limit: 100 });
  const events = useRead<{ events: ControlEventFound[] }>(mayNotAudit === null ? path : null);
  const queries = useQueryClient();
  // The audit contains a new version shortly after it was published.
  useLiveEvents(
    useCallback(
      ({ kind, data }: LiveEvent) => {
        if (kind === 'control' && data.event === 'policy.published' && data.subject === id)
          void queries.invalidateQueries({ queryKey: ['read', path] });
      },
      [queries, path, id],
    ),
  );
  const published = new Map<number, Published>(
    events.data?.events.flatMap((one) => (one.policyVersion === null ? [] : [[one.policyVersion, one]])),
  );
  return (
    <>
      <Section heading="Versions, the newest first">
        <Table
          label="Versions"
          columns={versionColumns(id, versions, published)}
          rows={versions}
          nameOf={({ version }) => String(version)}
        />
        {hasMore && <p className="quiet">There are older versions than these.</p>}
      </Section>
      <Compare versions={versions} published={published} draft={draft} />
    </>
  );
}

function versionColumns(
  id: string,
  versions: readonly Version[],
  published: ReadonlyMap<number, Published>,
): readonly Column<Version>[] {
  const newest = versions[0]?.version;
  return [
    {
      head: 'Version',
      isHead: true,
      cell: ({ version }) => `${version}${version === newest ? ', the newest' : ''}`,
    },
    {
      head: 'Published',
      cell: ({ version }) => {
        const { happenedAt } = published.get(version) ?? {};
        return happenedAt === undefined ? 'not in the audit' : <When at={happenedAt} />;
      },
    },
    { head: 'By', look: 'wide', cell: ({ version }) => <By who={published.get(version)?.by ?? null} /> },
    {
      head: 'Why',
      look: 'wide',
      cell: ({ version }) => published.get(version)?.reason || 'no reason was given',
    },
    {
      head: 'What changed',
      cell: ({ version }) =>
        version === 1 ? (
          'the first version'
        ) : (
          <Link
            to="/policies/$id"
            params={{ id }}
            search={{ before: String(version - 1), after: String(version) }}
            hash="compare"
          >
            compare with version {version - 1}
          </Link>
        ),
    },
    {
      head: 'Decisions under it',
      cell: ({ version }) => (
        <Link
          to="/decisions"
          search={{ policy: `${id}@${version}` }}
          aria-label={`Decisions under version ${version}`}
        >
          decisions
        </Link>
      ),
    },
    {
      head: 'Roll back',
      isHeadHidden: true,
      cell: ({ version }) => version !== newest && <RollBack id={id} version={version} />,
    },
  ];
}

/** The differences between two versions, or between a version and the draft. The address names the two. */
function Compare({
  versions,
  published,
  draft,
}: {
  versions: readonly Version[];
  published: ReadonlyMap<number, Published>;
  draft: PolicyDocument | null;
}) {
  const { id = '' } = useParams({ strict: false });
  const search = useParameters();
  const navigate = useNavigate();
  const [newest, earlier] = versions;
  if (newest === undefined) return null;
  const first = search.before ?? String((earlier ?? newest).version);
  const second = search.after ?? (earlier === undefined ? DRAFT : String(newest.version));
  const documentOf = (name: string) =>
    name === DRAFT ? draft : versions.find(({ version }) => String(version) === name)?.policy;
  const [before, after] = [documentOf(first), documentOf(second)];
  const publication = published.get(Number(second));
  const choose = (chosen: { before?: string; after?: string }) =>
    void navigate({
      to: '/policies/$id',
      params: { id },
      search: { ...search, before: first, after: second, ...chosen },
      replace: true,
      resetScroll: false,
    });
  return (
    <Section heading={<span id="compare">What differs</span>}>
      <div className="filters">
        <Choose
          label="From"
          value={first}
          versions={versions}
          onChoose={(name) => choose({ before: name })}
        />
        <Choose label="To" value={second} versions={versions} onChoose={(name) => choose({ after: name })} />
      </div>
      {publication !== undefined && (
        <p>
          Version {second} was published by <By who={publication.by} />, <When at={publication.happenedAt} />
          {publication.reason === '' ? '. No reason was given.' : `, because «${publication.reason}».`}
        </p>
      )}
      {before == null || after == null ? (
        <Empty>
          {first === DRAFT || second === DRAFT
            ? 'The draft has faults. Correct them to compare it.'
            : 'This version is not listed here.'}
        </Empty>
      ) : (
        <DocumentDiff before={before} after={after} />
      )}
    </Section>
  );
}

function Choose({
  label,
  value,
  versions,
  onChoose,
}: {
  label: string;
  value: string;
  versions: readonly Version[];
  onChoose: (name: string) => void;
}) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value={DRAFT}>the draft</option>
        {versions.map(({ version }) => (
          <option key={version} value={String(version)}>
            version {version}
          </option>
        ))}
      </select>
    </label>
  );
}

function RollBack({ id, version }: { id: string; version: number }) {
  const mayNot = useWhyNot('author');
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [reason, setReason] = useState('');
  return (
    <>
      <May whyNot={mayNot} onClick={() => setAsked(true)}>
        Publish version {version} again
      </May>
      {isAsked && (
        <Ask
          title={`Publish ${id}@${version} again?`}
          does="Roll back"
          whyNot={reason.trim() === '' ? 'Say why.' : null}
          onClose={() => setAsked(false)}
          onDo={async () => {
            await send(
              'POST',
              withQuery(`/v1/policies/${encodeURIComponent(id)}/rollback`, { reason: reason.trim() }),
              {
                body: { version },
              },
            );
            setAsked(false);
            await queries.invalidateQueries({ queryKey: ['read'] });
          }}
        >
          <p>It becomes the newest version. The versions between stay on record.</p>
          <label>
            Reason
            <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
          </label>
        </Ask>
      )}
    </>
  );
}
