/** One question for a person. A link in an alert leads here, and opening it answers nothing. */
import type { ApprovalFound } from '@mandate/query';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../data/api.ts';
import { command, quoted } from '../data/command.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { Answer, Question } from '../parts/approval.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { isMissing, Read } from '../parts/read.tsx';
import { Missing } from './missing.tsx';

export function Approval() {
  const { id = '' } = useParams({ strict: false });
  const path = `/v1/approvals/${encodeURIComponent(id)}`;
  const read = useRead<ApprovalFound>(path);
  const queries = useQueryClient();
  const mayNot = useWhyNot('approve', 'operate');
  const [asked, setAsked] = useState<'approve' | 'deny' | null>(null);
  const unanswerable =
    read.data === undefined
      ? 'The question must be shown first.'
      : read.data.answer !== null
        ? `It was answered by ${read.data.answer.by}.`
        : null;
  const whyNot = mayNot ?? unanswerable;
  if (isMissing(read))
    return (
      <Missing heading="Approval not found" what="There is no question with this id.">
        <p>
          A new question may take a second to appear. The id holds for exactly these arguments: if the agent
          asked again with others, the new question has another id.
        </p>
        <p className="row">
          <button type="button" onClick={() => void read.refetch()}>
            Look again
          </button>
          <Link className="button" to="/approvals">
            What waits for a person
          </Link>
          <Link className="button" to="/approvals" search={{ state: 'all' }}>
            All questions
          </Link>
        </p>
      </Missing>
    );
  return (
    <Page
      heading="Approval"
      question="An approval holds once, for exactly these arguments, and for a limited time."
      same={{ cli: command(`approvals show ${quoted(id)}`), path }}
      actions={
        <>
          <May whyNot={whyNot} className="primary" onClick={() => setAsked('approve')}>
            Approve
          </May>
          <May whyNot={whyNot} onClick={() => setAsked('deny')}>
            Deny
          </May>
        </>
      }
    >
      <Read of={read} what="the question">
        {(approval) => (
          <section className="panel" aria-label="The question">
            <Question approval={approval} />
          </section>
        )}
      </Read>
      {asked !== null && read.data !== undefined && (
        <Answer
          answer={asked}
          approvals={[read.data]}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            void queries.invalidateQueries({ queryKey: ['read'] });
          }}
          send={({ id: one }, body) =>
            send('POST', `/v1/approvals/${encodeURIComponent(one)}/${asked}`, { body })
          }
        />
      )}
    </Page>
  );
}
