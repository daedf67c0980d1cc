/** One change: its content, its author, and what it newly allowed. */
import type { PolicyShown } from '@mandate/control-service';
import type { ControlEventFound, KillFound } from '@mandate/query';
import type { ControlRecord, PolicyDocument } from '@mandate/schemas';
import { Link, useParams } from '@tanstack/react-router';
import { Fragment } from 'react';
import { withQuery } from '../data/api.ts';
import { changeInWords } from '../data/change-in-words.ts';
import { command, quoted } from '../data/command.ts';
import { EVENTS, titleOf } from '../data/events.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { By } from '../parts/by.tsx';
import { Page } from '../parts/page.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { When } from '../parts/when.tsx';
import { DocumentDiff } from '../policy/document-diff.tsx';
import { differencesInWords, termsOf } from '../policy/document-in-words.ts';
import { Missing } from './missing.tsx';

export function Change() {
  const { id = '' } = useParams({ strict: false });
  return useParameters().event === 'agent.killed' ? <KillPage id={id} /> : <ChangePage id={id} />;
}

function KillPage({ id }: { id: string }) {
  const path = `/v1/audit/kills/${encodeURIComponent(id)}`;
  const read = useRead<KillFound>(path);
  if (isMissing(read)) return <NoChange what={`There is no kill «${id}».`} />;
  return (
    <Page
      heading="Kill"
      question={<code>{id}</code>}
      same={{ cli: command(`kills show ${quoted(id)}`), path }}
    >
      <Read of={read} what="the kill">
        {({ agentId, scope, by, reason, killedAt, open, openCount, revived }) => (
          <section className="panel stack" aria-label="The kill">
            <h2>
              {agentId ?? `every agent (${scope})`}
              {scope === 'subtree' && ' and its descendants'}
            </h2>
            <dl>
              <dt>Killed by</dt>
              <dd>
                <By who={by} />
              </dd>
              <dt>When</dt>
              <dd>
                <When at={killedAt} />
              </dd>
              <dt>Why</dt>
              <dd>{reason === '' ? 'no reason was given' : reason}</dd>
              <dt>Could still run</dt>
              <dd>
                {openCount ?? open.length} {(openCount ?? open.length) === 1 ? 'call' : 'calls'}
                {open.map((one) => (
                  <div key={`${one.agentId} ${one.actionId} ${one.attempt}`}>
                    <Link to="/decisions" search={{ actionId: one.actionId }}>
                      {one.agentId}: <code>{one.actionId}</code>
                    </Link>
                  </div>
                ))}
              </dd>
              <dt>Now</dt>
              <dd>
                {revived === null ? (
                  'still killed'
                ) : (
                  <>
                    revived by <By who={revived.by} />, <When at={revived.at} />, because «{revived.reason}»
                  </>
                )}
              </dd>
            </dl>
            <p className="row">
              <Link
                to="/decisions"
                search={{
                  from: killedAt,
                  ...(agentId !== null && scope === 'agent' && { agent: agentId }),
                  ...(revived !== null && { to: revived.at }),
                }}
              >
                What was decided while it held
              </Link>
            </p>
          </section>
        )}
      </Read>
    </Page>
  );
}

function NoChange({ what }: { what: string }) {
  return (
    <Missing heading="Change not found" what={what}>
      <p>A new change may take a second to appear. Revives, approvals and adjusted budgets have no page.</p>
      <p className="row">
        <Link className="button" to="/changes">
          All changes
        </Link>
      </p>
    </Missing>
  );
}

type Recorded = ControlEventFound & { record: ControlRecord };

/** The differences between this version and the version before it. */
function PolicyChange({ policy, version }: { policy: PolicyDocument; version: number }) {
  const before = useRead<PolicyShown>(
    version === 1
      ? null
      : withQuery(`/v1/policies/${encodeURIComponent(policy.id)}`, { version: version - 1 }),
  );
  return (
    <>
      <h2>{version === 1 ? 'The first version' : `What differs from version ${version - 1}`}</h2>
      {version > 1 && (
        <Read of={before} what="the version before">
          {(shown) => <DocumentDiff before={shown.policy} after={policy} />}
        </Read>
      )}
    </>
  );
}

/** The page compares documents of these kinds with their earlier version. The audit has each version as a change. */
const COMPARED: ReadonlySet<string> = new Set(['agent.put', 'rule.put', 'tenant.put']);

/** The differences from the version of the document before this change. */
function DocumentChange({ change }: { change: Recorded }) {
  const { event, subject, revision, record } = change;
  const mayHaveBefore = COMPARED.has(event) && change.refusal === null && record.change.expects !== 0;
  const earlier = useRead<{ events: ControlEventFound[] }>(
    mayHaveBefore && subject !== null
      ? withQuery('/v1/audit/control-events', { subject, event, to: change.happenedAt, limit: 20 })
      : null,
  );
  const found = earlier.data?.events.find(
    (one) => one.refusal === null && (one.revision ?? 0) < (revision ?? 0),
  );
  const before = useRead<Recorded>(
    found === undefined ? null : `/v1/audit/control-events/${encodeURIComponent(found.id)}`,
  );
  if (!COMPARED.has(event) || change.refusal !== null) return null;
  if (!mayHaveBefore || (earlier.data !== undefined && found === undefined))
    return <p>There was no earlier version in the audit.</p>;
  return (
    <>
      <h2>What differs from the version before</h2>
      <Read of={before} what="the version before">
        {(shown) => <Differences before={termsOf(shown.record)} after={termsOf(record)} />}
      </Read>
    </>
  );
}

function Differences({ before, after }: Record<'before' | 'after', ReturnType<typeof termsOf>>) {
  const lines = differencesInWords(before, after);
  if (lines.length === 0) return <p>Nothing that this page shows. The record has the whole document.</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function ChangePage({ id }: { id: string }) {
  const path = `/v1/audit/control-events/${encodeURIComponent(id)}`;
  const read = useRead<Recorded>(path);
  if (isMissing(read)) return <NoChange what={`There is no change «${id}».`} />;
  return (
    <Page heading="Change" question={<code>{id}</code>} same={{ path }}>
      <Read of={read} what="the change">
        {(change) => (
          <section className="panel stack" aria-label="The change">
            <h2>
              {titleOf(change.event)}: {change.subject ?? ''}
              {change.policyVersion !== null && `, version ${change.policyVersion}`}
            </h2>
            <p>{changeInWords(change)}</p>
            <p className="quiet">{EVENTS[change.event][1]}</p>
            <dl>
              <dt>By</dt>
              <dd>
                <By who={change.by} />
              </dd>
              <dt>When</dt>
              <dd>
                <When at={change.happenedAt} />
              </dd>
              <dt>Why</dt>
              <dd>{change.reason === '' ? 'no reason was given' : change.reason}</dd>
              <dt>Took effect</dt>
              <dd>{change.refusal === null ? 'yes' : `no: ${change.refusal}`}</dd>
              {termsOf(change.record).map(([term, value]) => (
                <Fragment key={term}>
                  <dt>{term}</dt>
                  <dd>{value}</dd>
                </Fragment>
              ))}
            </dl>
            {change.record.event === 'rule.put' && (
              <p>
                <Link to="/policies/$id" params={{ id: change.record.rule.policy.replace(/@\d+$/, '') }}>
                  The policy that the rule gives
                </Link>
              </p>
            )}
            <DocumentChange change={change} />
            {change.subject !== null && change.policyVersion !== null && (
              <p className="row">
                <Link to="/policies/$id" params={{ id: change.subject }}>
                  The policy
                </Link>
                <Link
                  to="/policies/$id"
                  params={{ id: change.subject }}
                  search={{ before: String(change.policyVersion), after: 'draft' }}
                  hash="compare"
                >
                  Compare with other versions
                </Link>
                <Link to="/decisions" search={{ policy: `${change.subject}@${change.policyVersion}` }}>
                  Every decision under it
                </Link>
                <Link
                  to="/decisions"
                  search={{ policy: `${change.subject}@${change.policyVersion}`, verdict: 'ALLOW' }}
                >
                  Every dollar that it let through
                </Link>
              </p>
            )}
            {change.record.event === 'policy.published' && change.policyVersion !== null && (
              <PolicyChange policy={change.record.policy} version={change.policyVersion} />
            )}
            <details>
              <summary>The record, as on the log</summary>
              <pre>{JSON.stringify(change.record, null, 2)}</pre>
            </details>
          </section>
        )}
      </Read>
    </Page>
  );
}
