/** The questions that wait for a person. Several questions can be answered at once only after each was shown. */
import type { ApprovalFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { send, withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import type { LiveEvent } from '../data/live.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { Answer, Question, Unused } from '../parts/approval.tsx';
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
  const mayNot = useWhyNot('approve', 'operate');
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ answer: 'approve' | 'deny'; ids: readonly string[] } | null>(null);
  // The audit is a second late, so the page remembers its own answers. The answered rows stay until the list is read
  // again.
  const [answers, setAnswers] = useState<ReadonlyMap<string, OwnAnswer>>(new Map());
  const sent = useRef(new Set<string>());
  const isNews = useCallback(
    (event: LiveEvent) =>
      isQuestionOrAnswer(event) && !(event.kind === 'control' && sent.current.has(nameOf(event.data))),
    [],
  );
  async function answerOne(approval: ApprovalFound, answer: 'approve' | 'deny', body: object) {
    sent.current.add(nameOf(approval));
    const path = `/v1/approvals/${encodeURIComponent(approval.id)}/${answer}`;
    const { body: receipt } = await send<{ expiresAt?: string }>('POST', path, { body });
    const { expiresAt = null } = receipt;
    const own = { answer: answer === 'approve' ? 'granted' : 'denied', expiresAt, usedBy: null } as const;
    setAnswers((before) => new Map(before).set(approval.decisionId, own));
    setChosen((before) => new Set([...before].filter((id) => id !== approval.id)));
  }
  const answerTo = ({ answer, decisionId }: ApprovalFound) => answer ?? answers.get(decisionId) ?? null;
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
      <Newer isAbout={isNews} onShow={() => setChosen(new Set())} />
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
                        disabled={!seen.has(approval.id) || answerTo(approval) !== null}
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
                      <FromNow at={approval.since} />, <State answer={answerTo(approval)} />
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
            setChosen(new Set());
          }}
          send={(one, body) => answerOne(one, asked.answer, body)}
        />
      )}
    </Page>
  );
}

type OwnAnswer = Pick<NonNullable<ApprovalFound['answer']>, 'answer' | 'expiresAt' | 'usedBy'>;

function State({ answer }: { answer: (OwnAnswer & { by?: string }) | null }) {
  if (answer === null) return 'waiting';
  const by = `${answer.answer} by ${answer.by ?? 'you'}`;
  if (answer.usedBy !== null) return `${by}, and used`;
  return answer.answer === 'denied' ? (
    by
  ) : (
    <>
      {by}. <Unused expiresAt={answer.expiresAt} />
    </>
  );
}

function nameOf({ agentId, actionId }: { agentId?: string | null; actionId?: string | null }): string {
  return JSON.stringify([agentId, actionId]);
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
