/** A question for a person in full, and the form for the answer. */

import type { ApprovalFound, BudgetFound } from '@mandate/query';
import { withDurationsInWords } from '@mandate/schemas/duration-in-words';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { withQuery } from '../data/api.ts';
import { useRead } from '../data/read.ts';
import { useWhyNot } from '../data/session.ts';
import { duration } from '../data/time.ts';
import { AgentLink } from './agent-link.tsx';
import { Ask } from './ask.tsx';
import { By } from './by.tsx';
import { Lines } from './lines.tsx';
import { Money } from './money.tsx';
import styles from './parts.module.css';
import { Read } from './read.tsx';
import { FromNow, useNow, When } from './when.tsx';

export function Question({ approval }: { approval: ApprovalFound }) {
  const { answer, decided } = approval;
  const cost = approval.costMicros ?? approval.estimatedCostMicros;
  return (
    <div className="stack">
      <dl>
        <dt>Agent</dt>
        <dd>
          <AgentLink id={approval.agentId} />
        </dd>
        <dt>Wants to call</dt>
        <dd>{approval.tool ?? 'an action without a tool'}</dd>
        <dt>Why it waits</dt>
        <dd>{withDurationsInWords(approval.reason)}</dd>
        <dt>Cost</dt>
        <dd>{cost === null ? 'not stated' : <Money micros={cost} />}</dd>
        <dt>Risk</dt>
        <dd>{approval.risk ?? 'not stated'}</dd>
        <dt>For</dt>
        <dd>
          {approval.principal === null
            ? 'nobody is named'
            : `${approval.principal.id}${approval.principal.role === null ? '' : `, ${approval.principal.role}`}`}
        </dd>
        <dt>Asked</dt>
        <dd>
          <FromNow at={approval.since} />, <When at={approval.since} />
        </dd>
        <dt>Digest</dt>
        <dd>
          <code>{approval.digest}</code>
        </dd>
        <dt>Decision</dt>
        <dd>
          <Link to="/decisions/$id" params={{ id: approval.decisionId }}>
            <code>{approval.decisionId}</code>
          </Link>
        </dd>
      </dl>
      <Arguments approval={approval} />
      <BudgetsLeft agent={approval.agentId} />
      {Object.keys(approval.context).length > 0 && (
        <div>
          <h2>What the caller says about the situation</h2>
          <dl>
            {Object.entries(approval.context).map(([name, value]) => (
              <div key={name} style={{ display: 'contents' }}>
                <dt>{name}</dt>
                <dd>
                  {JSON.stringify(value)}
                  <span className="quiet">
                    {approval.pinned.includes(`context.${name}`)
                      ? ' fixed by its key'
                      : ' a claim of the caller'}
                  </span>
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {answer !== null && (
        <p>
          <strong>{answer.answer}</strong> by <By who={answer.by} />, <When at={answer.at} />, because «
          {answer.reason}».{' '}
          {answer.usedBy === null ? (
            <Unused expiresAt={answer.expiresAt} />
          ) : (
            <Link to="/decisions/$id" params={{ id: answer.usedBy }}>
              It was used.
            </Link>
          )}
        </p>
      )}
      {decided !== null && (
        <p>
          Decided since:{' '}
          <Link to="/decisions/$id" params={{ id: decided.id }}>
            {decided.verdict}, {decided.code}
          </Link>
        </p>
      )}
    </div>
  );
}

/**
 * What else must happen after an approval, because the approval itself runs nothing. `expiresAt` is null for a denial.
 */
export function Unused({ expiresAt }: { expiresAt: string | null }) {
  const nowMs = useNow();
  if (expiresAt === null) return null;
  if (Date.parse(expiresAt) <= nowMs) return 'Expired, not used.';
  return (
    <>
      Not used yet: the agent must send the same call again before <When at={expiresAt} />.
    </>
  );
}

/** The number of questions in which the last approved call is searched. */
const EARLIER = 200;

/** The exact arguments, and their differences from the last approved call of the same agent and tool. */
function Arguments({ approval }: { approval: ApprovalFound }) {
  const { agentId, tool } = approval;
  const read = useRead<{ approvals: ApprovalFound[] }>(
    withQuery('/v1/approvals', { agent: agentId, state: 'all', limit: EARLIER }),
  );
  return (
    <div className="stack">
      <div>
        <h2>Arguments</h2>
        <pre>{written(approval.args)}</pre>
      </div>
      <Read of={read} what="earlier approvals">
        {({ approvals }) => {
          const before = approvals.find(
            (one) => one.id !== approval.id && one.tool === tool && one.answer?.answer === 'granted',
          );
          if (before?.answer == null)
            return (
              <p className="quiet">
                No call of {agentId} to {tool ?? 'this'} was approved among its last {EARLIER} questions.
              </p>
            );
          return (
            <div>
              <h2>What differs from its last approved call</h2>
              <p className="quiet">
                Approved by <By who={before.answer.by} />, <When at={before.answer.at} />.{' '}
                <Link to="/approvals/$id" params={{ id: before.id }}>
                  That question
                </Link>
              </p>
              <Lines
                before={written(before.args)}
                after={written(approval.args)}
                same="The arguments are the same."
              />
            </div>
          );
        }}
      </Read>
    </div>
  );
}

function written(args: ApprovalFound['args']): string {
  return args === null ? 'none' : JSON.stringify(args, null, 2);
}

/** What is left of the budgets of the agent. */
function BudgetsLeft({ agent }: { agent: string }) {
  const whyNot = useWhyNot('audit');
  const read = useRead<{ budgets: BudgetFound[] }>(
    whyNot === null
      ? withQuery('/v1/audit/analytics/budgets', { scope: 'agent', subject: agent, limit: 20 })
      : null,
  );
  if (whyNot !== null) return <p className="quiet">Budgets are not shown. {whyNot}</p>;
  return (
    <div>
      <h2>Budget left</h2>
      <Read of={read} what="budgets">
        {({ budgets }) => {
          const limited = budgets.flatMap(({ limitMicros, leftMicros, ...one }) =>
            limitMicros === null || leftMicros === null ? [] : [{ ...one, limitMicros, leftMicros }],
          );
          if (limited.length === 0) return <p>No budget with a limit is known for this agent.</p>;
          return (
            <ul className={styles.effects}>
              {limited.map(({ budgetId, windowMs, leftMicros, limitMicros }) => (
                <li key={`${budgetId} ${windowMs}`}>
                  <Money micros={leftMicros} /> of <Money micros={limitMicros} /> in «{budgetId}»
                  {windowMs !== null && `, for each ${duration(windowMs)}`}
                </li>
              ))}
            </ul>
          );
        }}
      </Read>
    </div>
  );
}

/**
 * Asks for the reason, and sends the answers one after another. After a failure, answers that were accepted are not
 * sent again.
 */
export function Answer({
  answer,
  approvals,
  onClose,
  onDone,
  send,
}: {
  answer: 'approve' | 'deny';
  approvals: readonly ApprovalFound[];
  onClose: () => void;
  onDone: () => void;
  send: (approval: ApprovalFound, body: { reason: string; expiresInMs?: number }) => Promise<unknown>;
}) {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('');
  const [left, setLeft] = useState(approvals);
  const reasonField = useRef<HTMLInputElement>(null);
  const many = approvals.length === 1 ? 'this call' : `these ${approvals.length} calls`;
  async function answerAll() {
    const expiresInMs = minutes === '' ? {} : { expiresInMs: Math.round(Number(minutes) * 60_000) };
    let rest = left;
    for (const approval of left) {
      await send(approval, { reason: reason.trim(), ...(answer === 'approve' && expiresInMs) });
      rest = rest.filter((other) => other !== approval);
      setLeft(rest);
    }
    onDone();
  }
  return (
    <Ask
      title={answer === 'approve' ? `Approve ${many}?` : `Deny ${many}?`}
      does={answer === 'approve' ? 'Approve' : 'Deny'}
      isGrave={answer === 'deny'}
      whyNot={reason.trim() === '' ? 'Say why. The record keeps it, and the agent sees it.' : null}
      onDo={answerAll}
      onClose={onClose}
      first={reasonField}
    >
      {approvals.map((approval) => (
        <section
          key={approval.id}
          className="stack"
          aria-label={`${approval.tool ?? 'Call'} of ${approval.agentId}`}
        >
          <p>
            <strong>{approval.agentId}</strong> wants to call{' '}
            <strong>{approval.tool ?? 'an action without a tool'}</strong>.{' '}
            {withDurationsInWords(approval.reason)}
          </p>
          <Arguments approval={approval} />
          <BudgetsLeft agent={approval.agentId} />
        </section>
      ))}
      <label>
        Reason
        <input
          ref={reasonField}
          value={reason}
          required
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {answer === 'approve' && (
        <label>
          Holds for minutes (empty: as the policy says)
          <input
            type="number"
            min={1}
            max={1440}
            value={minutes}
            onChange={(event) => setMinutes(event.target.value)}
          />
        </label>
      )}
    </Ask>
  );
}
