/** One policy: what it says, its versions, and a new version with what it would newly allow. */
import type { PolicyPublished, PolicyShown } from '@mandate/control-service';
import type { PolicyDocument } from '@mandate/schemas';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { send, withQuery } from '../data/api.ts';
import { command, quoted } from '../data/command.ts';
import { dollars } from '../data/money.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { Ask } from '../parts/ask.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import { useInForce } from '../policy/in-force.ts';
import { type Draft, DraftNotes, forgetDraft, PolicyEditor } from '../policy/policy-editor.tsx';
import { Missing } from './missing.tsx';

const NEW: PolicyDocument = { version: 1, id: 'new-policy', allowedTools: ['read_*'], maxCostTotal: 5 };

type Version = Pick<PolicyShown, 'version' | 'revision' | 'policy'>;

export function Policy() {
  const { id = '' } = useParams({ strict: false });
  const { edit, field, atLeastMicros, name } = useParameters();
  const isNew = edit === 'new';
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
      same={isNew ? {} : { cli: command(`policies show ${quoted(id)}`), path }}
    >
      {wanted !== null && (
        <p role="note" className="panel">
          This would have changed the decision: <strong>{wanted}</strong>. Edit it below; nothing happens
          before you publish.
        </p>
      )}
      {isNew ? (
        <Edit before={null} />
      ) : (
        <Read of={read} what="the policy">
          {(shown) => <Edit key={shown.revision} before={shown} />}
        </Read>
      )}
      {!isNew && (
        <Section heading="Versions">
          <Read of={versions} what="versions">
            {({ versions: found }) => (
              <ol reversed start={found[0]?.version}>
                {found.map((one, index) => (
                  <li key={one.version}>
                    <details>
                      <summary>
                        Version {one.version}
                        {index === 0 && ', the newest'}
                      </summary>
                      <pre>{JSON.stringify(one.policy, null, 2)}</pre>
                      <p className="row">
                        <Link to="/decisions" search={{ policy: `${id}@${one.version}` }}>
                          Every decision under it
                        </Link>
                        <Link to="/changes" search={{ subject: id, event: 'policy.published' }}>
                          Who published it
                        </Link>
                        {index > 0 && <RollBack id={id} version={one.version} />}
                      </p>
                    </details>
                  </li>
                ))}
              </ol>
            )}
          </Read>
        </Section>
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

function Edit({ before }: { before: PolicyShown | null }) {
  const inForce = useInForce();
  const mayNot = useWhyNot('author');
  const [draft, setDraft] = useState<Draft | null>(null);
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
            <PolicyEditor policy={policy} inForce={documents} onDraft={setDraft} />
            {draft !== null && <DraftNotes draft={draft} />}
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
          {widens.length > 0 ? `Publish, and let through ${widens.length} more` : 'Publish'}
        </May>
      </div>
      {isAsked && draft?.policy != null && (
        <Publish policy={draft.policy} widens={widens} before={before} onClose={() => setAsked(false)} />
      )}
    </Section>
  );
}

function headingOf(before: PolicyShown | null, isChanged: boolean): string {
  if (before === null) return 'Draft';
  return isChanged ? `Draft, after version ${before.version}` : `Version ${before.version}`;
}

/** What only restricts needs one key. What lets something through needs a reason. */
function Publish({
  policy,
  widens,
  before,
  onClose,
}: {
  policy: PolicyDocument;
  widens: readonly string[];
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
      <label>
        Reason{widens.length > 0 ? '' : ' (optional)'}
        <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Ask>
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
