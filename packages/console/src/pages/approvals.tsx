/** What waits for a person. Several are answered at once only after each was shown. */
import type { ApprovalFound } from '@mandate/query';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { send, withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import type { LiveEvent } from '../data/live.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { Answer, Question } from '../parts/approval.tsx';
import { May } from '../parts/may.tsx';
import { Newer } from '../parts/newer.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/problem.tsx';
import { Read } from '../parts/read.tsx';
import { ChoiceFilter, SearchForm, TextFilter } from '../parts/search-form.tsx';
import { FromNow } from '../parts/when.tsx';

const STATES = [
  ['waiting', 'waiting'],
  ['all', 'all'],
] as const;

const CHOOSE = 'Show what a call asks for, and choose it. Then approve or deny what is chosen.';

export function Approvals() {
  const search = useParameters();
  const { agent, state, cursor } = search;
  const path = withQuery('/v1/approvals', { agent, state, cursor, limit: 50 });
  const read = useRead<{ approvals: ApprovalFound[]; next: string | null }>(path);
  const queries = useQueryClient();
  const mayNot = useWhyNot('approve', 'operate');
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ answer: 'approve' | 'deny'; ids: readonly string[] } | null>(null);
  const refresh = () => {
    setChosen(new Set());
    void queries.invalidateQueries({ queryKey: ['read'] });
  };
  const ids = [...chosen].filter((id) => seen.has(id));
  const whyNot = mayNot ?? (ids.length === 0 ? CHOOSE : null);
  return (
    <Page
      heading="Approvals"
      question="What waits for a person, the newest first. An approval holds once, for exactly these arguments, and for a limited time."
      same={{ cli: command('approvals list', { agent, all: state === 'all', cursor }), path }}
      actions={
        <>
          <May whyNot={whyNot} onClick={() => setAsked({ answer: 'approve', ids })}>
            Approve {ids.length > 0 ? ids.length : 'chosen'}
          </May>
          <May whyNot={whyNot} onClick={() => setAsked({ answer: 'deny', ids })}>
            Deny {ids.length > 0 ? ids.length : 'chosen'}
          </May>
        </>
      }
    >
      <SearchForm to="/approvals">
        <TextFilter name="agent" label="Agent" field="agent" />
        <ChoiceFilter name="state" label="State" choices={STATES} />
      </SearchForm>
      <Newer isAbout={isQuestionOrAnswer} onShow={() => setChosen(new Set())} />
      {mayNot === null && <p className="quiet">{CHOOSE}</p>}
      <Read of={read} what="approvals">
        {({ approvals, next }) =>
          approvals.length === 0 ? (
            <Empty>Nothing waits for a person.</Empty>
          ) : (
            <ul className="stack" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
              {approvals.map((approval) => (
                <li key={approval.id} className="panel">
                  <div className="row">
                    <label className="beside">
                      <input
                        type="checkbox"
                        checked={chosen.has(approval.id)}
                        disabled={!seen.has(approval.id) || approval.answer !== null}
                        aria-label={`Choose ${approval.actionId} of ${approval.agentId}`}
                        onChange={() => setChosen(toggled(chosen, approval.id))}
                      />
                    </label>
                    <Link to="/approvals/$id" params={{ id: approval.id }}>
                      {approval.agentId}: {approval.tool ?? approval.code}
                    </Link>
                    <code className="one-line">
                      {approval.args === null ? '' : JSON.stringify(approval.args)}
                    </code>
                    <span className="quiet">
                      <FromNow at={approval.since} />,{' '}
                      {approval.answer === null
                        ? 'waiting'
                        : `${approval.answer.answer} by ${approval.answer.by}${
                            approval.decided === null ? ', and not asked again yet' : ''
                          }`}
                    </span>
                  </div>
                  <details
                    onToggle={(event) => event.currentTarget.open && setSeen(new Set(seen).add(approval.id))}
                  >
                    <summary>Show what it asks for</summary>
                    {seen.has(approval.id) && <Question approval={approval} />}
                  </details>
                </li>
              ))}
              {next !== null && (
                <Link className="button" to="/approvals" search={{ ...search, cursor: next }}>
                  Earlier questions
                </Link>
              )}
            </ul>
          )
        }
      </Read>
      {asked !== null && (
        <Answer
          answer={asked.answer}
          approvals={read.data?.approvals.filter(({ id }) => asked.ids.includes(id)) ?? []}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            refresh();
          }}
          send={(id, body) =>
            send('POST', `/v1/approvals/${encodeURIComponent(id)}/${asked.answer}`, { body })
          }
        />
      )}
    </Page>
  );
}

function isQuestionOrAnswer(event: LiveEvent): boolean {
  if (event.kind === 'decision') return event.data.verdict === 'DEFER';
  return event.kind === 'control' && 'event' in event.data && event.data.event === 'approval.recorded';
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const now = new Set(chosen);
  if (!now.delete(id)) now.add(id);
  return now;
}
