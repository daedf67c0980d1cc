/** One change: what it was, who made it, and what it let through. */
import type { PolicyShown } from '@mandate/control-service';
import type { ControlEventFound, KillFound } from '@mandate/query';
import type { PolicyDocument, RuleDocument } from '@mandate/schemas';
import { Link, useParams } from '@tanstack/react-router';
import { withQuery } from '../data/api.ts';
import { command, quoted } from '../data/command.ts';
import { EVENTS, titleOf } from '../data/events.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { By } from '../parts/by.tsx';
import { Page } from '../parts/page.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { When } from '../parts/when.tsx';
import { DocumentDiff } from '../policy/document-diff.tsx';
import { agentsInWords, limitsInWords } from '../policy/rule-in-words.ts';
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

type Recorded = ControlEventFound & { record: { policy?: PolicyDocument; rule?: RuleDocument } };

/** What this version changed, compared with the version before it. */
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

function RuleInWords({ rule }: { rule: RuleDocument }) {
  return (
    <>
      <dt>Gives</dt>
      <dd>
        <Link to="/policies/$id" params={{ id: rule.policy.replace(/@\d+$/, '') }}>
          {rule.policy}
        </Link>
      </dd>
      <dt>For</dt>
      <dd>{[agentsInWords(rule), ...limitsInWords(rule)].join(', ')}</dd>
    </>
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
              {change.record.rule !== undefined && <RuleInWords rule={change.record.rule} />}
            </dl>
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
            {change.record.policy !== undefined && change.policyVersion !== null && (
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
