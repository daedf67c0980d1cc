/** One change: what it was, who made it, and what it let through. */
import type { ControlEventFound, KillFound } from '@mandate/query';
import { Link, useParams } from '@tanstack/react-router';
import { command, quoted } from '../data/command.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { Page } from '../parts/page.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { When } from '../parts/when.tsx';
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
              <dd>{by ?? 'not recorded'}</dd>
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
                    revived by {revived.by}, <When at={revived.at} />, because «{revived.reason}»
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

type Recorded = ControlEventFound & { record: { event: string } };

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
              {change.event} {change.subject ?? ''}
              {change.policyVersion !== null && `@${change.policyVersion}`}
            </h2>
            <dl>
              <dt>By</dt>
              <dd>{change.by ?? 'not recorded'}</dd>
              <dt>When</dt>
              <dd>
                <When at={change.happenedAt} />
              </dd>
              <dt>Why</dt>
              <dd>{change.reason === '' ? 'no reason was given' : change.reason}</dd>
              <dt>Took effect</dt>
              <dd>{change.refusal === null ? 'yes' : `no: ${change.refusal}`}</dd>
            </dl>
            {change.subject !== null && change.policyVersion !== null && (
              <p className="row">
                <Link to="/policies/$id" params={{ id: change.subject }}>
                  The policy
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
            <details>
              <summary>The record</summary>
              <pre>{JSON.stringify(change.record, null, 2)}</pre>
            </details>
          </section>
        )}
      </Read>
    </Page>
  );
}
