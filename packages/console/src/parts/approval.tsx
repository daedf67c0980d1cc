/** A question for a person, whole, and the answer to it. */
import type { ApprovalFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Ask } from './ask.tsx';
import { Money } from './money.tsx';
import { FromNow, When } from './when.tsx';

export function Question({ approval }: { approval: ApprovalFound }) {
  const { answer, decided } = approval;
  const cost = approval.costMicros ?? approval.estimatedCostMicros;
  return (
    <div className="stack">
      <dl>
        <dt>Agent</dt>
        <dd>
          <Link to="/agents/$agent" params={{ agent: approval.agentId }}>
            {approval.agentId}
          </Link>
        </dd>
        <dt>Wants to call</dt>
        <dd>{approval.tool ?? 'an action without a tool'}</dd>
        <dt>Why it waits</dt>
        <dd>{approval.reason}</dd>
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
      <div>
        <h2>Arguments</h2>
        <pre>{approval.args === null ? 'none' : JSON.stringify(approval.args, null, 2)}</pre>
      </div>
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
          <strong>{answer.answer}</strong> by {answer.by}, <When at={answer.at} />, because «{answer.reason}».{' '}
          {answer.expiresAt !== null && (
            <>
              It holds until <When at={answer.expiresAt} />.
            </>
          )}{' '}
          {answer.usedBy !== null && (
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

/** Asks for the reason, and sends the answers one after another. What was answered is not sent again after a fault. */
export function Answer({
  answer,
  ids,
  onClose,
  onDone,
  send,
}: {
  answer: 'approve' | 'deny';
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
  send: (id: string, body: { reason: string; expiresInMs?: number }) => Promise<unknown>;
}) {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('');
  const [left, setLeft] = useState(ids);
  const many = ids.length === 1 ? 'this call' : `these ${ids.length} calls`;
  async function answerAll() {
    const expiresInMs = minutes === '' ? {} : { expiresInMs: Math.round(Number(minutes) * 60_000) };
    let rest = left;
    for (const id of left) {
      await send(id, { reason: reason.trim(), ...(answer === 'approve' && expiresInMs) });
      rest = rest.filter((other) => other !== id);
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
    >
      <label>
        Reason
        <input value={reason} required maxLength={500} onChange={(event) => setReason(event.target.value)} />
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
